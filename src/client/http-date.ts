const day = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?';
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const time = '\\d{2}:\\d{2}:\\d{2}';

/** The one form that is written today, and the two that RFC 9110 §5.6.7 has every recipient read. */
const current = new RegExp(`^${day}, \\d{2} ${month} \\d{4} ${time} GMT$`);
const rfc850 = new RegExp(`^${day}, \\d{2}-${month}-\\d{2} ${time} GMT$`);
const asctime = new RegExp(`^${day} ${month} [ \\d]\\d ${time} \\d{4}$`);

/** The instant that a date in a header names, in milliseconds since 1970; `undefined` when it is no such date. */
export function readHttpDate(text: string): number | undefined {
  // Checked first, since `Date.parse` takes `Retry-After: fast 1` for a day in 2001.
  if (current.test(text) || rfc850.test(text)) return finite(Date.parse(text));
  if (asctime.test(text)) return finite(Date.parse(`${text} GMT`));
  return undefined;
}

function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? ms : undefined;
}
