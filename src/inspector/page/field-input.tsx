import { type JSX, useId } from 'react';
import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import { type Draft, emptyDraft, isList } from './form-draft.ts';
import { type Field, isMark } from './form-field.ts';

interface FieldProps<K extends Field['kind'] = Field['kind']> {
  readonly field: Extract<Field, { readonly kind: K }>;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** The path in the arguments: `filter.tags.0`. */
  readonly path: string;
  /** Validation errors by path. */
  readonly issues: ReadonlyMap<string, string>;
}

/** The inputs of a field with its name, description and error. */
export function FieldInput(props: FieldProps): JSX.Element {
  const { field, path, issues } = props;
  const id = useId();
  const issue = issues.get(path);
  // The arguments as a whole, and variants inside a field, have no label of their own.
  if (path === '') return <Inputs {...props} id={id} />;
  const isGroup = field.kind === 'group' || field.kind === 'list' || field.kind === 'variants';
  const name = (
    <>
      <span className="mono">{field.label}</span> {field.isRequired && <span className="needed">required</span>}
    </>
  );
  const hints = (
    <>
      {field.description !== '' && (
        <span className="hint" id={`${id}-hint`}>
          {field.description}
        </span>
      )}
      {issue !== undefined && (
        <span className="issue" id={`${id}-issue`} role="alert">
          {issue}
        </span>
      )}
    </>
  );
  if (isGroup) {
    return (
      <fieldset>
        {field.label !== '' && <legend>{name}</legend>}
        {hints}
        <Inputs {...props} id={id} />
      </fieldset>
    );
  }
  return (
    <div className="field">
      {field.label !== '' && <label htmlFor={id}>{name}</label>}
      {hints}
      <Inputs {...props} id={id} />
    </div>
  );
}

function Inputs({ id, ...props }: FieldProps & { readonly id: string }): JSX.Element {
  const { field, draft, onChange, path, issues } = props;
  if (field.kind === 'group') return <Group {...props} field={field} />;
  if (field.kind === 'list') return <List {...props} field={field} />;
  if (field.kind === 'variants') return <Variants {...props} field={field} />;
  const value = typeof draft === 'string' ? draft : '';
  const fallback = field.fallback === undefined ? '' : `default: ${plain(field.fallback)}`;
  const common = {
    id,
    value,
    'aria-invalid': issues.has(path) || undefined,
    'aria-describedby': [field.description === '' ? '' : `${id}-hint`, issues.has(path) ? `${id}-issue` : '']
      .join(' ')
      .trim(),
    'aria-label': field.label === '' ? `Entry ${path}` : undefined,
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  };
  switch (field.kind) {
    case 'number':
      return <input {...common} inputMode="decimal" placeholder={fallback} />;
    case 'boolean':
      return (
        <select {...common}>
          <option value="">{fallback || 'not set'}</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      );
    case 'enum':
      return (
        <select {...common}>
          <option value="">{fallback || 'not set'}</option>
          {field.values.map((option, index) => (
            <option key={plain(option)} value={String(index)}>
              {plain(option)}
            </option>
          ))}
        </select>
      );
    case 'text':
      return <textarea {...common} rows={1} placeholder={fallback} spellCheck={false} />;
    case 'password':
      return <input {...common} type="password" autoComplete="off" placeholder={fallback} />;
    case 'json':
      return <textarea {...common} rows={2} className="mono" placeholder={fallback || 'JSON'} spellCheck={false} />;
  }
}

function Group({ field, draft, onChange, path, issues }: FieldProps<'group'>): JSX.Element {
  const members = typeof draft === 'object' && 'members' in draft ? draft.members : {};
  const shown = [...field.fields].filter(([, member]) => !isMark(member));
  return (
    <>
      {shown.map(([name, member]) => (
        <FieldInput
          key={name}
          field={member}
          draft={members[name] ?? emptyDraft(member)}
          onChange={(changed) => onChange({ members: { ...members, [name]: changed } })}
          path={path === '' ? name : `${path}.${name}`}
          issues={issues}
        />
      ))}
    </>
  );
}

function List({ field, draft, onChange, path, issues }: FieldProps<'list'>): JSX.Element {
  const items = isList(draft) ? draft : [];
  return (
    <>
      {items.map((item, index) => (
        // Entries have no identity of their own.
        // oxlint-disable-next-line react/no-array-index-key
        <div className="entry" key={index}>
          <FieldInput
            field={field.item}
            draft={item}
            onChange={(changed) => onChange(items.with(index, changed))}
            path={`${path}.${index}`}
            issues={issues}
          />
          <button
            type="button"
            className="quiet"
            aria-label={`Remove entry ${index + 1} of ${field.label}`}
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" className="quiet" onClick={() => onChange([...items, emptyDraft(field.item)])}>
        Add {field.label === '' ? 'an entry' : `to ${field.label}`}
      </button>
    </>
  );
}

function Variants({ field, draft, onChange, path, issues }: FieldProps<'variants'>): JSX.Element {
  const given = typeof draft === 'object' && 'variant' in draft ? draft : undefined;
  const variant = given?.variant ?? 0;
  const chosen = field.variants[variant];
  return (
    <>
      <select
        aria-label={`Kind of ${field.label || 'arguments'}`}
        value={variant}
        onChange={(event) => {
          const next = field.variants[Number(event.target.value)];
          if (next !== undefined) onChange({ variant: Number(event.target.value), draft: emptyDraft(next) });
        }}
      >
        {field.variants.map((option, index) => (
          // Two variants may have the same label.
          // oxlint-disable-next-line react/no-array-index-key
          <option key={index} value={index}>
            {option.label}
          </option>
        ))}
      </select>
      {chosen !== undefined && (
        <FieldInput
          field={{ ...chosen, label: '' }}
          draft={given?.draft ?? emptyDraft(chosen)}
          onChange={(changed) => onChange({ variant, draft: changed })}
          path={path}
          issues={new Map([...issues].filter(([at]) => at !== path))}
        />
      )}
    </>
  );
}

function plain(value: unknown): string {
  return revealHidden(typeof value === 'string' ? value : JSON.stringify(value));
}
