/** Said of a rule set that is `truncated`. */
export const maybeTruncated = 'the list of rules filled its page and has no second one, so rules may be missing';
