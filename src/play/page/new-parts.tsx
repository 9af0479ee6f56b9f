/**
 * The forms for new rules and lists, which write the JSON that a person would otherwise have to
 * write.
 */
import { useState } from 'preact/hooks';
import type { Session } from './session.js';
import { shortened } from './words.js';

const actions: readonly (readonly [action: string, words: string])[] = [
  ['blockMessage', 'block the message'],
  ['dropMessage', 'drop the message'],
];

export function NewParts({ session }: { readonly session: Session }) {
  const [form, setForm] = useState<'rule' | 'list' | undefined>(undefined);
  const { compiled, opened } = session.view;
  const isOff = opened === undefined || (compiled?.errors.length ?? 0) > 0;
  const button = (name: 'rule' | 'list') => (
    <button
      type="button"
      disabled={isOff}
      aria-expanded={form === name}
      onClick={() => setForm(form === name ? undefined : name)}
    >
      New {name}
    </button>
  );
  const close = () => setForm(undefined);
  return (
    <>
      <div class="bar">
        {button('rule')}
        {button('list')}
      </div>
      {form === 'rule' && <RuleForm session={session} onDone={close} />}
      {form === 'list' && <ListForm session={session} onDone={close} />}
    </>
  );
}

interface FormProps {
  readonly session: Session;
  readonly onDone: () => void;
}

/** Returns what was written into a form, by the names of its fields. */
function valuesOf(event: Event): Readonly<Record<string, string>> {
  event.preventDefault();
  const data = new FormData(event.currentTarget as HTMLFormElement);
  return Object.fromEntries([...data].map(([field, value]) => [field, String(value).trim()]));
}

function RuleForm({ session, onDone }: FormProps) {
  const [from, setFrom] = useState('new');
  const lists = session.view.opened?.docs.filter(({ id }) => id.startsWith('list:')) ?? [];
  const add = (event: Event) => {
    const { name = '', action = '', pattern = '' } = valuesOf(event);
    if (from === 'pattern') session.addRule(name, action, { category: 'pattern', value: [pattern] });
    else {
      const listId = from === 'new' ? session.addList(name) : from.slice('list:'.length);
      session.addRule(name, action, { category: 'word', isKeywordsReferencePresent: true, value: [listId] });
    }
    onDone();
  };
  return (
    <form class="new" onSubmit={add}>
      <label>
        Name of the rule
        <input name="name" required maxLength={100} autocomplete="off" />
      </label>
      <label>
        Action
        <select name="action">
          {actions.map(([action, words]) => (
            <option value={action}>{words}</option>
          ))}
        </select>
      </label>
      <label>
        Looks for
        <select value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
          <option value="new">the terms of a new list</option>
          <option value="pattern">a pattern</option>
          {lists.map(({ id, title }) => (
            <option value={id}>the terms of {shortened(title, 60)}</option>
          ))}
        </select>
      </label>
      {from === 'pattern' && (
        <label>
          Pattern, as RE2 reads it
          <input name="pattern" required autocomplete="off" spellcheck={false} defaultValue="(?i)" />
        </label>
      )}
      <div>
        <button type="submit">Add rule</button>
      </div>
    </form>
  );
}

function ListForm({ session, onDone }: FormProps) {
  const add = (event: Event) => {
    session.addList(valuesOf(event).name ?? '');
    onDone();
  };
  return (
    <form class="new" onSubmit={add}>
      <label>
        Name of the list
        <input name="name" required maxLength={100} autocomplete="off" />
      </label>
      <div>
        <button type="submit">Add list</button>
      </div>
    </form>
  );
}
