/** The choice of columns for messages whose columns have unknown names, as `--map` names them. */
import type { ColumnField } from '../../audit/source/columns.js';
import type { Session } from './session.js';

/** The fields that a column may hold, in the words of the page. */
const fields: Readonly<Record<ColumnField, string>> = {
  text: 'text',
  id: 'id',
  sender: 'sender',
  sentAt: 'time',
  conversationId: 'conversation',
};

export function Columns({ columns, session }: { readonly columns: readonly string[]; readonly session: Session }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const chosen = [...new FormData(event.currentTarget as HTMLFormElement)] as [ColumnField, string][];
    session.openFiles(undefined, Object.fromEntries(chosen.filter(([, column]) => column !== '')));
  };
  return (
    <form class="bar" aria-label="Columns of the messages" onSubmit={submit}>
      {Object.entries(fields).map(([field, words]) => (
        <label>
          {words}{' '}
          <select name={field} required={field === 'text'}>
            <option value="">{field === 'text' ? 'choose a column' : 'by its name'}</option>
            {columns.map((column) => (
              <option value={column}>{column.slice(0, 60)}</option>
            ))}
          </select>
        </label>
      ))}
      <button type="submit">Open</button>
    </form>
  );
}
