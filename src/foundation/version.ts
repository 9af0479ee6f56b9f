/**
 * The version of Sluice, as package.json has it: a constant, since a browser has no file to read it
 * from.
 */
export const version = '0.1.0';
