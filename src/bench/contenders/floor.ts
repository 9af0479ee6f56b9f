import { type Contender, floor } from '../model.js';
import { localRunner } from '../pass.js';

/** Called on the prototype, so that the floor does not depend on how many kinds of strings came by, as our scans do not. */
const { charCodeAt } = String.prototype;

/** Reads every unit of every string and nothing more: what nobody who looks at JavaScript strings can undercut. */
export const charCodeFloor: Contender = {
  name: floor,
  note: 'reads every unit, answers nothing',
  prepare: ({ texts }) =>
    localRunner(texts, (text) => {
      let sum = 0;
      for (let at = 0; at < text.length; at++) sum = (sum + charCodeAt.call(text, at)) | 0;
      return sum & 1;
    }),
};
