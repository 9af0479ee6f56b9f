import { inert, quote } from '../diff/markdown.js';
import { countWords, findingPlace, groupsOf, type LintView, severityName } from './words.js';

/** Characters of a comment at the most; pull requests take some 65,000. */
const mostCharacters = 60_000;
/** Columns of a witness. */
const witnessWidth = 200;

/** The report as Markdown for a comment on a pull request. Fits into one, whatever the rules hold. */
export function lintMarkdown(view: LintView): string {
  let text = `### sluice lint: ${countWords(view.report)}\n`;
  for (const { id, severity, shown, more } of groupsOf(view)) {
    const items = shown.map((finding) => {
      const { term, pattern, detail, witness, proof, mend } = finding;
      const written = term ?? pattern;
      const parts = [
        `${findingPlace(finding, quote)}${written === undefined ? '' : `, ${quote(written)}`}: ${inert(detail)}`,
        ...(proof === 'proved' ? ['proved for all texts'] : []),
        ...(witness === undefined ? [] : [`shown by ${quote(witness, witnessWidth)}`]),
      ];
      return `- ${parts.join('; ')}${mend === undefined ? '' : `<br>mend: ${inert(mend)}`}\n`;
    });
    const rest = more === 0 ? '' : `- and ${more} more\n`;
    const part = `\n**${severityName[severity]}: ${id}**\n\n${items.join('')}${rest}`;
    if (text.length + part.length > mostCharacters)
      return `${text}\nThe rest was left out: it is too long for a comment.\n`;
    text += part;
  }
  return text;
}
