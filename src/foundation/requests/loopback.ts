/**
 * Reports whether a host is loopback, as an address, a URL or the header `host` writes it, there
 * perhaps with a port. URLs spell `2130706433` and `127.1` as `127.0.0.1`.
 */
export const isLoopback = (host: string) => /^(?:(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d*)?|::1)$/i.test(host);
