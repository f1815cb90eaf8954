import { NativeSelect, TextInput } from '@mantine/core'
import { formatConstant } from '../../ui/status-meaning.ts'
import {
  type AccountDraft,
  type AccountField,
  type FieldError,
  listFields,
  listTypes,
} from './account-draft.ts'

interface FieldsProps {
  readonly draft: AccountDraft
  readonly currencies: readonly string[]
  readonly error: FieldError | undefined
  readonly change: (draft: AccountDraft) => void
}

/** The fields of a new account. */
export function AccountFields({ draft, currencies, error, change }: FieldsProps) {
  const types = listTypes(draft.currency)
  return (
    <>
      <NativeSelect
        label="Currency"
        data={[...currencies]}
        value={draft.currency}
        onChange={({ currentTarget }) => change(createDraft(currentTarget.value))}
      />
      {types.length > 1 && (
        <NativeSelect
          label="Kind of account"
          data={types.map((type) => ({ value: type, label: formatConstant(type) }))}
          value={draft.type}
          onChange={({ currentTarget }) => change({ ...draft, type: currentTarget.value })}
        />
      )}
      {listFields(draft.type).map((field) => (
        <Field
          key={field.name}
          field={field}
          value={draft.values[field.name] ?? ''}
          error={error?.name === field.name ? error.message : undefined}
          change={(value) => change({ ...draft, values: { ...draft.values, [field.name]: value } })}
        />
      ))}
    </>
  )
}

/** Creates an empty draft with the currency's first account type. */
export function createDraft(currency: string): AccountDraft {
  return { currency, type: listTypes(currency)[0] ?? '', values: {} }
}

function Field(props: {
  readonly field: AccountField
  readonly value: string
  readonly error: string | undefined
  readonly change: (value: string) => void
}) {
  const { field, value, error, change } = props
  const { label, description, choices, isRequired } = field
  const shared = { label, description, value, error, required: isRequired }
  if (choices)
    return (
      <NativeSelect
        {...shared}
        data={[
          { value: '', label: 'Choose' },
          ...choices.map((choice) => ({ value: choice, label: formatConstant(choice) })),
        ]}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    )
  return (
    <TextInput {...shared} autoComplete="off" onChange={({ currentTarget }) => change(currentTarget.value)} />
  )
}
