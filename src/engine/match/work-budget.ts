/** Units of text are UTF-16 units. A step takes 3 to 20 ns. */
const STEPS_OF_A_MESSAGE = 1 << 17;
const STEPS_OF_A_UNIT = 128;

/**
 * Steps that may go into further occurrences of what occurs in a message, beyond the one that the
 * verdict needs: in proportion to its text, and counted, so that every machine reports the same. A
 * visitor's work and each search spend from it; what is in progress when it is used up is finished.
 */
export class WorkBudget {
  /** All steps since the message began, whether or not the budget lasted. */
  spent = 0;
  #limit = STEPS_OF_A_MESSAGE;

  /** Begins a message whose texts have so many units together. */
  begin(units: number): void {
    this.spent = 0;
    this.#limit = STEPS_OF_A_MESSAGE + STEPS_OF_A_UNIT * units;
  }

  get isUsedUp(): boolean {
    return this.spent > this.#limit;
  }
}
