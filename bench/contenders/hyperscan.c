/*
 * Hyperscan as a contender. Reads a database and messages from files, then answers commands on standard input, one line
 * each, and times itself: no process start, pipe or copy of a string is in its figures.
 *
 *   cc -O2 -o hyperscan hyperscan.c $(pkg-config --cflags --libs libhs)
 *   hyperscan DATABASE MESSAGES
 *
 * DATABASE: one expression a line, `flags TAB weight TAB expression`; flags are letters: i caseless, u UTF-8.
 * MESSAGES: for each message its length (32 bits, little endian) and its bytes (UTF-8).
 *
 * Commands:  pass MODE TIMES   one line: count, nanoseconds of one pass
 *            each MODE         one line: nanoseconds of every message
 *            compile TIMES     one line: messages of the first twenty with a hit, nanoseconds of one compilation and these;
 *                              with 0 the count alone
 *            size              one line: bytes of database and scratch
 *            peak              one line: bytes by which this process went over what it held with the messages alone
 * MODE: first  1 for every message with a hit; the scan stops there
 *       all    every hit
 *       which  every pair of message and expression that matches
 *       weigh  the largest weight of a message's hits, summed; the scan stops at weight 2
 */
#include <hs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum mode { FIRST, ALL, WHICH, WEIGH };

struct message {
    const char *text;
    unsigned length;
};

static char **expressions;
static unsigned *flags, *ids;
static unsigned char *weights;
static unsigned expression_count;
static struct message *messages;
static size_t message_count;
static hs_database_t *database;
static hs_scratch_t *scratch;
static uint64_t *seen; /* by expression: number of the scan that last saw it */
static uint64_t scan_number;
static uint64_t hits;

static void die(const char *what) {
    fprintf(stderr, "hyperscan: %s\n", what);
    exit(1);
}

static void *grown(void *block, size_t bytes) {
    void *larger = realloc(block, bytes);
    if (!larger) die("out of memory");
    return larger;
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) die("cannot open a file");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = grown(NULL, *size + 1);
    if (fread(bytes, 1, *size, file) != *size) die("cannot read a file");
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static void read_expressions(const char *path) {
    size_t size;
    char *at = read_file(path, &size);
    for (char *line = strsep(&at, "\n"); line; line = strsep(&at, "\n")) {
        if (!*line) continue;
        unsigned number = expression_count++;
        expressions = grown(expressions, expression_count * sizeof *expressions);
        flags = grown(flags, expression_count * sizeof *flags);
        ids = grown(ids, expression_count * sizeof *ids);
        weights = grown(weights, expression_count);
        char *letters = strsep(&line, "\t");
        char *weight = strsep(&line, "\t");
        if (!weight || !line) die("a line of the database has no three fields");
        flags[number] = (strchr(letters, 'i') ? HS_FLAG_CASELESS : 0) | (strchr(letters, 'u') ? HS_FLAG_UTF8 : 0) |
                        (strchr(letters, 's') ? HS_FLAG_SINGLEMATCH : 0);
        ids[number] = number;
        weights[number] = (unsigned char)atoi(weight);
        expressions[number] = line;
    }
    seen = calloc(expression_count + 1, sizeof *seen);
}

static void read_messages(const char *path) {
    size_t size;
    char *bytes = read_file(path, &size);
    for (size_t at = 0; at + 4 <= size;) {
        uint32_t length;
        memcpy(&length, bytes + at, 4);
        messages = grown(messages, (message_count + 1) * sizeof *messages);
        messages[message_count].text = bytes + at + 4;
        messages[message_count++].length = length;
        at += 4 + length;
    }
}

static void compile(void) {
    hs_compile_error_t *error = NULL;
    if (hs_compile_multi((const char *const *)expressions, flags, ids, expression_count, HS_MODE_BLOCK, NULL, &database,
                         &error) != HS_SUCCESS) {
        fprintf(stderr, "hyperscan: expression %d: %s\n", error->expression, error->message);
        exit(1);
    }
    if (hs_alloc_scratch(database, &scratch) != HS_SUCCESS) die("no scratch");
}

static int on_first(unsigned id, unsigned long long from, unsigned long long to, unsigned flag, void *context) {
    (void)id, (void)from, (void)to, (void)flag, (void)context;
    hits++;
    return 1;
}

static int on_all(unsigned id, unsigned long long from, unsigned long long to, unsigned flag, void *context) {
    (void)id, (void)from, (void)to, (void)flag, (void)context;
    hits++;
    return 0;
}

static int on_which(unsigned id, unsigned long long from, unsigned long long to, unsigned flag, void *context) {
    (void)from, (void)to, (void)flag, (void)context;
    if (seen[id] != scan_number) {
        seen[id] = scan_number;
        hits++;
    }
    return 0;
}

static int on_weigh(unsigned id, unsigned long long from, unsigned long long to, unsigned flag, void *context) {
    (void)from, (void)to, (void)flag;
    unsigned *heaviest = context;
    if (weights[id] > *heaviest) *heaviest = weights[id];
    return *heaviest == 2;
}

static void scan_one(const struct message *message, enum mode mode) {
    static const match_event_handler handlers[] = {on_first, on_all, on_which, on_weigh};
    unsigned heaviest = 0;
    scan_number++;
    hs_scan(database, message->text, message->length, 0, scratch, handlers[mode], &heaviest);
    hits += heaviest;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static enum mode mode_of(const char *name) {
    if (!strcmp(name, "first")) return FIRST;
    if (!strcmp(name, "all")) return ALL;
    if (!strcmp(name, "which")) return WHICH;
    if (!strcmp(name, "weigh")) return WEIGH;
    die("unknown mode");
    return FIRST;
}

static void pass(enum mode mode, int times) {
    uint64_t count = 0;
    double started = now();
    for (int time = 0; time < times; time++) {
        hits = 0;
        for (size_t at = 0; at < message_count; at++) scan_one(&messages[at], mode);
        if (time > 0 && hits != count) die("counted differently");
        count = hits;
    }
    printf("%llu %.1f\n", (unsigned long long)count, (now() - started) / times);
}

static void each(enum mode mode) {
    for (size_t at = 0; at < message_count; at++) {
        double started = now();
        scan_one(&messages[at], mode);
        printf("%.0f ", now() - started);
    }
    printf("\n");
}

static void recompile(int times) {
    size_t asked = message_count < 20 ? message_count : 20;
    double started = now();
    for (int time = 0; time < times; time++) {
        hs_free_scratch(scratch);
        hs_free_database(database);
        scratch = NULL;
        compile();
        hits = 0;
        for (size_t at = 0; at < asked; at++) scan_one(&messages[at], FIRST);
    }
    double taken = now() - started;
    if (times == 0) {
        hits = 0;
        for (size_t at = 0; at < asked; at++) scan_one(&messages[at], FIRST);
    }
    printf("%llu %.1f\n", (unsigned long long)hits, times == 0 ? 0 : taken / times);
}

static void size(void) {
    size_t of_database = 0, of_scratch = 0;
    hs_database_size(database, &of_database);
    hs_scratch_size(scratch, &of_scratch);
    printf("%zu\n", of_database + of_scratch);
}

static size_t resident(void) {
    size_t all = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%zu %zu", &all, &pages) != 2) pages = 0;
    if (file) fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void peak(size_t before) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    size_t most = (size_t)usage.ru_maxrss * 1024;
    printf("%zu\n", before == 0 || most < before ? 0 : most - before);
}

int main(int argc, char **argv) {
    if (argc != 3) die("usage: hyperscan DATABASE MESSAGES");
    read_expressions(argv[1]);
    read_messages(argv[2]);
    size_t before = resident();
    compile();
    char line[64], name[16];
    int times;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "pass %15s %d", name, &times) == 2) pass(mode_of(name), times);
        else if (sscanf(line, "each %15s", name) == 1) each(mode_of(name));
        else if (sscanf(line, "compile %d", &times) == 1) recompile(times);
        else if (!strncmp(line, "size", 4)) size();
        else if (!strncmp(line, "peak", 4)) peak(before);
        else die("unknown command");
        fflush(stdout);
    }
    return 0;
}
