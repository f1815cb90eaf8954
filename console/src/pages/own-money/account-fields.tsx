import { NativeSelect, TextInput } from '@mantine/core'
import { wordsOf } from '../../ui/status-meaning.ts'
import {
  type AccountDraft,
  type AccountField,
  type FieldFault,
  listFields,
  listTypes,
} from './account-draft.ts'

interface FieldsProps {
  readonly draft: AccountDraft
  readonly currencies: readonly string[]
  readonly fault: FieldFault | undefined
  readonly change: (draft: AccountDraft) => void
}

/** The fields of a new account. */
export function AccountFields({ draft, currencies, fault, change }: FieldsProps) {
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
          data={types.map((one) => ({ value: one, label: wordsOf(one) }))}
          value={draft.type}
          onChange={({ currentTarget }) => change({ ...draft, type: currentTarget.value })}
        />
      )}
      {listFields(draft.type).map((field) => (
        <Field
          key={field.name}
          field={field}
          value={draft.values[field.name] ?? ''}
          fault={fault?.name === field.name ? fault.message : undefined}
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
  readonly fault: string | undefined
  readonly change: (value: string) => void
}) {
  const { field, value, fault, change } = props
  const { label, description, choices, isRequired } = field
  const shared = { label, description, value, error: fault, required: isRequired }
  if (choices)
    return (
      <NativeSelect
        {...shared}
        data={[
          { value: '', label: 'Choose' },
          ...choices.map((one) => ({ value: one, label: wordsOf(one) })),
        ]}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    )
  return (
    <TextInput {...shared} autoComplete="off" onChange={({ currentTarget }) => change(currentTarget.value)} />
  )
}
