/**
 * What a terminal obeys or hides: control characters (C0, DEL, C1), format characters (bidirectional controls,
 * zero-width characters, tags), line and paragraph separators, private use, lone surrogates, and the few letters that
 * are drawn as nothing.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u{115f}\u{1160}\u{3164}\u{ffa0}]|\u{34f}|\u{17b4}|\u{17b5}/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text from rules, messages or users as one line that is safe on a terminal: what cannot be seen is written as an escape. */
export function escapeText(text: string): string {
  return text.replace(unseen, (found) => {
    const code = found.codePointAt(0) ?? 0;
    return short[found] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`);
  });
}
