/** A change of one text. */
interface Change {
  readonly doc: string;
  readonly before: string;
  readonly after: string;
}

/** Characters that all changes together may hold. */
const mostLength = 50_000_000;

/** The changes of all texts, to be undone and redone in order. Letters of a word that are typed one by one are one change. */
export class History {
  #done: Change[] = [];
  #undone: Change[] = [];

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  add(change: Change): void {
    this.#undone = [];
    const last = this.#done.at(-1);
    const isTyped = change.after.length === change.before.length + 1;
    const goesOn = isTyped && last?.doc === change.doc && last.after === change.before && isInWord(change);
    if (goesOn) this.#done[this.#done.length - 1] = { ...last, after: change.after };
    else this.#done.push(change);
    let length = this.#done.reduce((sum, { before }) => sum + before.length, 0);
    while (length > mostLength && this.#done.length > 1) length -= this.#done.shift()!.before.length;
  }

  undo(): Change | undefined {
    const change = this.#done.pop();
    if (change !== undefined) this.#undone.push(change);
    return change;
  }

  redo(): Change | undefined {
    const change = this.#undone.pop();
    if (change !== undefined) this.#done.push(change);
    return change;
  }

  clear(): void {
    this.#done = [];
    this.#undone = [];
  }
}

/** Reports whether the character that a change adds is neither white space nor behind any: it goes on with a word. */
function isInWord({ before, after }: Change): boolean {
  let at = 0;
  while (at < before.length && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return !/\s/.test(after.slice(Math.max(0, at - 1), at + 1)) && at > 0;
}
