/** In the spirit of the big list of naughty strings, for what stands in a path: a few of each kind. */
export const naughtyIds: readonly string[] = [
  ...['', ' ', '.', '..', './', '/..', '.%2e', '%2e%2e', '%252e%252e', '/', '///evil.example', '\\'],
  ...['..\\', '%5c', 'a/b', 'ann/conversation', '../users/bob', '/v3/users/bob', '?apikey=x', '#'],
  ...['a?b#c', '&limit=1', 'a=b', ';jsessionid=1', '%', '%zz', '%0d%0aapikey: x', '%c0%ae%c0%ae'],
  ...['100%', 'a+b', 'a,b', '\0', '\r\n', 'a\r\nhost: evil.example', '\x7f', 'a b', ' a', 'a '],
  ...['\ufeffa', '\u2028', 'a\u200bb', 'https://evil.example/v3', 'ann:secret@evil.example', '[::1]'],
  ...['"', '$\u007buid}', "' OR 1=1 --", '__proto__', '9007199254740993', 'e\u0301', '👩‍👩‍👧'],
  ...['\u{10ffff}', '\ud800', 'a\ud800b', '\udc00\ud800', 'ثم نفس', '．．', '／', '../'.repeat(50)],
  ...['/'.repeat(300), '😀'.repeat(300), 'a'.repeat(20_000)],
];
