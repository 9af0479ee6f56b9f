/** A document that is JSON already: it is sent as it stands, where any other object is written out first. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
