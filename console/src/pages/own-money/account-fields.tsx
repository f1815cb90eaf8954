import { NativeSelect, TextInput } from '@mantine/core'
import { wordsOf } from '../../ui/status-meaning.ts'
import { type AccountDraft, type AccountField, type FieldFault, fieldsOf, typesIn } from './account-draft.ts'

interface FieldsProps {
  readonly draft: AccountDraft
  readonly currencies: readonly string[]
  readonly fault: FieldFault | undefined
  readonly change: (draft: AccountDraft) => void
}

/** The details of a new account. */
export function AccountFields({ draft, currencies, fault, change }: FieldsProps) {
  const types = typesIn(draft.currency)
  return (
    <>
      <NativeSelect
        label="Currency"
        data={[...currencies]}
        value={draft.currency}
        onChange={({ currentTarget }) => change(newDraft(currentTarget.value))}
      />
      {types.length > 1 && (
        <NativeSelect
          label="Kind of account"
          data={types.map((one) => ({ value: one, label: wordsOf(one) }))}
          value={draft.type}
          onChange={({ currentTarget }) => change({ ...draft, type: currentTarget.value })}
        />
      )}
      {fieldsOf(draft.type).map((field) => (
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

/** A draft without details, of a currency's first account type. */
export function newDraft(currency: string): AccountDraft {
  return { currency, type: typesIn(currency)[0] ?? '', values: {} }
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
