/** `sluice/re2-wasm`: Google's own RE2 behind the pattern seam. Its 16 MiB heap is paid for only by who imports this. */
export { re2wasm } from './match/patterns/re2-wasm.js';
