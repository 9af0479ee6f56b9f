"""Judges a file of messages on the workers of a Dask cluster: the decisions, in the order of the messages."""
import subprocess
import sys

from distributed import Client


def judge(messages):
    """The decisions of a partition, one line for each message."""
    command = ["sluice", "judge", "--quiet", "--rules", "rules.json"]
    return subprocess.run(command, input=messages, stdout=subprocess.PIPE, check=True).stdout


def partitions(path, size):
    """The lines of a file, cut into partitions."""
    with open(path, "rb") as file:
        while lines := file.readlines(size):
            yield b"".join(lines)


if __name__ == "__main__":
    scheduler, messages = sys.argv[1:]
    with Client(scheduler) as client:
        for decisions in client.gather(client.map(judge, list(partitions(messages, 50_000)), pure=False)):
            sys.stdout.buffer.write(decisions)
