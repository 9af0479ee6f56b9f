/**
 * Patterns that make a backtracking engine try exponentially or polynomially many ways, each with a
 * text of a given size that nearly matches: our own list, after the shapes that are known to have
 * stalled services. All of them are RE2's.
 */
type Pair = readonly [pattern: string, attack: (size: number) => string];

const of =
  (piece: string, end = '!', start = '') =>
  (size: number) =>
    start + piece.repeat(Math.ceil(size / piece.length)) + end;

export const hostilePairs: readonly Pair[] = [
  // Repeats within repeats.
  ['^(a+)+$', of('a')],
  ['^(a*)*$', of('a')],
  ['^(a|a)*$', of('a')],
  ['^(a|aa)+$', of('a')],
  ['^(a|a?)+$', of('a')],
  ['(x+x+)+y', of('x', 'z')],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', of('a')],
  ['([a-zA-Z]+)*=', of('a')],
  ['(.*a){20}', of('a', 'b')],
  ['^((ab)*)+$', of('ab', 'a')],
  ['^(\\w+\\s?)*$', of('word ', '?')],
  ['^(?:[a-z0-9]+[-_.]?)+@', of('a1', ' ')],
  ['(\\d+)+x', of('1')],
  ['^(\\s*\\w+\\s*)+;$', of(' a ')],
  ['(?:(?:a+b?)+c?)+d', of('aab')],
  ['^(?:a?){30}a{30}$', of('a', '')],
  // Repeats that follow each other.
  ['\\s+$', of(' ', 'x')],
  ['^\\s+|\\s+$', of(' ', 'x', 'x')],
  ['a*a*a*a*b', of('a')],
  ['\\d+\\d+\\d+\\d+x', of('1')],
  ['.*.*=.*', of('x')],
  ['x*x*x*x*x*x*y', of('x')],
  ['\\w*\\d*\\w*!!', of('1')],
  ['(?s).*.*.*\\n\\n\\z', of('\n', 'x')],
  ['[^a]*a[^a]*a[^a]*a$', of('b')],
  ['"[^"]*"\\s*:\\s*"[^"]*"$', of('" ', '')],
  // What services have stalled on.
  [
    '(?:(?:"|\'|\\]|\\}|\\\\|\\d|(?:nan|infinity|true|false|null|undefined|symbol|math)|`|-|\\+)+[)]*;?((?:\\s|-|~|!|\\{\\}|\\|\\||\\+)*.*(?:.*=.*)))',
    of('x='),
  ],
  ['^([a-zA-Z0-9_.-])+@(([a-zA-Z0-9-])+.)+([a-zA-Z0-9]{2,4})+$', of('a', '', 'a@')],
  [
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    of('a'),
  ],
  ['^(https?://)?([\\da-z.-]+)\\.([a-z.]{2,6})([/\\w .-]*)*/?$', of('/a', '?', 'http://x.yz')],
  ['(?:[^,]*,){12}p', of('1,', '')],
  ['^(.*?,){11}P', of('1,')],
  ['<!--.*-->', of('<!-', '')],
  ['<a[^>]+href=[^>]+>', of('<a href=', '')],
  ['\\[([^\\[\\]]*)\\]\\(([^()]*)\\)', of('[', '')],
  ['(?i)<script[^>]*>.*</script>', of('<script', '')],
  ['(\\*\\*|__)(.+?[*_]*)(\\*\\*|__)$', of('**', 'x')],
  ['^(\\d{1,3}\\.?)+$', of('111.', 'x')],
  ['(?:\\+?\\d{1,3}[ -]?)?(?:\\d[ -]?){10,20}#', of('1 ')],
  ['^#?([a-f0-9]+)*;$', of('f')],
  ['[\\w.%+-]+@[\\w.-]+\\.[a-z]{2,}', of('a.', '')],
  ['\\b(?:\\d[ -]*?){13,16}x', of('4-')],
  ['((?:[A-Za-z0-9+/]{4})*)={2}$', of('AAAA')],
  ['^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.?)+$', of('192.168.', 'x')],
  // Many states rather than many ways.
  ['[ab][^c]{40}d', of('ab')],
  ['(a|b)*a(a|b){10}c', of('ab', '')],
  ['a.{30}b', of('a')],
  ['(?:a|b|ab)*c', of('ab')],
  ['.*[ab].{12}$', of('ab')],
  ['(?i)(?:k|\u212a){5,50}z', of('k')],
  ['\\p{L}{1,30}\\d', of('д')],
  ['[\\p{L}\\p{N}]+@', of('é1')],
  ['(?:\\pL+\\s*)+!!$', of('слово ')],
  ['(?:a{1,20}){1,20}b', of('a')],
  ['(?:x{0,9}y{0,9}){0,9}z', of('xy')],
  // Alternatives with common beginnings, and empty ones.
  ['(?:foo|foob|fooba|foobar)*baz', of('fooba')],
  ['(?:|a|aa|aaa)*b', of('a')],
  ['(?:a|b|c|d|e|f|g|h)*i$', of('abcdefgh', 'z')],
  ['(?:and|android|andromeda)+!$', of('andro')],
  ['^(?:e|é|è|ê)+$', of('éèe')],
  // Words and edges.
  ['(?:\\b\\w+\\b\\s*)+\\.$', of('so ')],
  ['\\bk\\w*\\b.*\\bm\\w*\\b.*\\bq', of('k m ')],
  ['(?m)^(?:.*\\n)*x$', of('a\n', 'y')],
  ['(?:^|\\s)(?:\\w+\\s+){5,20}stop', of('go ')],
];
