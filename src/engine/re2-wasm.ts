/**
 * `sluice/re2-wasm`: Google's own RE2 behind the pattern seam. Its heap of 16 MiB is allocated only
 * when this is imported.
 */
export { re2wasm } from './match/patterns/re2-wasm.js';
