import { Button, Fieldset, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'

/** A rule as typed: a string for each field, empty if the field is omitted. */
export type RuleRow = Readonly<Record<string, string>>

export interface RuleField {
  readonly name: string
  readonly label: string
  /** Allowed values. Omitted for a free text field. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[]
  /** Returns the field's error message, or undefined if it is valid. */
  readonly findError?: (row: RuleRow, otherRows: readonly RuleRow[]) => string | undefined
}

/** True if all fields of all rules are valid. */
export function areValid(rows: readonly RuleRow[], fields: readonly RuleField[]): boolean {
  return rows.every((row) =>
    fields.every(({ findError }) => findError?.(row, withoutRow(rows, row)) === undefined),
  )
}

function withoutRow(rows: readonly RuleRow[], row: RuleRow): RuleRow[] {
  return rows.filter((candidate) => candidate !== row)
}

/** Edits a list of rules. */
export function RuleRows(props: {
  /** The label of a rule: `Hold`. */
  readonly name: string
  readonly rows: readonly RuleRow[]
  readonly fields: readonly RuleField[]
  readonly newRow: RuleRow
  readonly max: number
  readonly onChange: (rows: readonly RuleRow[]) => void
}) {
  const { name, rows, fields, newRow, max, onChange } = props
  const change = (row: RuleRow, part: RuleRow) =>
    onChange(rows.map((candidate) => (candidate === row ? { ...row, ...part } : candidate)))
  return (
    <Stack>
      {rows.map((row, index) => (
        // Rules have no id, so they are identified by their index.
        <Fieldset key={index} legend={`${name} ${index + 1}`}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {fields.map((field) => (
              <RuleInput
                key={field.name}
                field={field}
                row={row}
                error={field.findError?.(row, withoutRow(rows, row))}
                onChange={(value) => change(row, { [field.name]: value })}
              />
            ))}
          </SimpleGrid>
          <Group justify="flex-end" mt="sm">
            <Button
              variant="default"
              size="xs"
              aria-label={`Remove ${name.toLowerCase()} ${index + 1}`}
              onClick={() => onChange(withoutRow(rows, row))}
            >
              Remove
            </Button>
          </Group>
        </Fieldset>
      ))}
      <Group>
        <Button
          variant="default"
          disabled={rows.length >= max}
          onClick={() => onChange([...rows, { ...newRow }])}
        >
          Add {name.toLowerCase()}
        </Button>
      </Group>
    </Stack>
  )
}

function RuleInput(props: {
  readonly field: RuleField
  readonly row: RuleRow
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}) {
  const { field, row, error, onChange } = props
  const { name, label, choices } = field
  const common = {
    label,
    value: row[name] ?? '',
    error,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  }
  return choices ? <NativeSelect {...common} data={[...choices]} /> : <TextInput {...common} />
}
