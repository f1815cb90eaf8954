import { isKeyOf } from '@countersign/contract/core/objects'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { leaveByTab } from './leave-by-tab.ts'
import { RecordFilter, type RecordKind, SearchedChoice } from './record-filter.tsx'
import { SavedViews } from './saved-views.tsx'
import { formatConstant } from './status-meaning.ts'

/** A list filter, identified by its query parameter: a choice of values, a record, a day, or text. */
export interface Filter {
  readonly name: string
  readonly label: string
  readonly choices?: readonly string[]
  /** Returns the label of a choice. */
  readonly formatLabel?: (choice: string) => string
  readonly isDay?: boolean
  /** The kind of record that is chosen by name. */
  readonly record?: RecordKind
  /** A decimal amount without a currency. */
  readonly isAmount?: boolean
}

const TYPING_MS = 250
/** A choice with more options than this has a search box. */
const LONG_CHOICE = 20
/** On a phone, further filters are behind a button. */
const SHOWN_ON_PHONES = 2

/** The filters of a list. They are stored in the page's URL, so that it can be shared. */
export function Filters(props: {
  readonly filters: readonly Filter[]
  readonly values: Readonly<Record<string, string | undefined>>
}) {
  const { filters, values } = props
  const navigate = useNavigate()
  const [isOpen, { toggle }] = useDisclosure(false)
  const change = (name: string, value: string) =>
    void navigate({
      to: '.',
      search: (previous: Record<string, unknown>) => ({
        ...previous,
        [name]: value === '' ? undefined : value,
      }),
      replace: true,
    })
  // Decided once, so that filters that appear after a choice do not hide that choice.
  const [isFoldable] = useState(filters.length > SHOWN_ON_PHONES)
  const active = filters.filter(({ name }) => values[name] !== undefined).length
  return (
    <Group gap="sm" align="flex-end" className={isFoldable && !isOpen ? 'filters closed' : 'filters'}>
      {isFoldable && (
        <Button className="fold" variant="default" hiddenFrom="sm" aria-expanded={isOpen} onClick={toggle}>
          {active === 0 ? 'Filters' : `Filters (${active})`}
        </Button>
      )}
      <div className="fields">
        {filters.map((filter) => (
          <FilterInput key={filter.name} filter={filter} value={values[filter.name] ?? ''} change={change} />
        ))}
      </div>
      <SavedViews values={values} />
    </Group>
  )
}

function FilterInput(props: {
  readonly filter: Filter
  readonly value: string
  readonly change: (name: string, value: string) => void
}) {
  const { filter, value, change } = props
  const {
    name,
    label,
    choices,
    formatLabel = formatConstant,
    record,
    isDay = false,
    isAmount = false,
  } = filter
  const [input, setInput] = useState(value)
  // Follows the URL, which changes through links and the back button.
  useEffect(() => setInput(value), [value])
  const send = useDebouncedCallback((text: string) => change(name, text), TYPING_MS)
  if (record)
    return <RecordFilter label={label} kind={record} value={value} change={(id) => change(name, id)} />
  if (choices && choices.length > LONG_CHOICE)
    return (
      <SearchedChoice
        label={label}
        value={value}
        choices={choices.map((option) => [option, formatLabel(option)])}
        change={(choice) => change(name, choice)}
      />
    )
  if (choices)
    return (
      <NativeSelect
        label={label}
        value={value}
        onChange={({ currentTarget }) => change(name, currentTarget.value)}
        data={[
          { value: '', label: 'Any' },
          ...choices.map((option) => ({ value: option, label: formatLabel(option) })),
        ]}
      />
    )
  return (
    <TextInput
      label={label}
      type={isDay ? 'date' : 'search'}
      w={{ base: 'auto', sm: isDay || isAmount ? 150 : 280 }}
      {...(isAmount ? { inputMode: 'decimal' } : {})}
      {...(isDay ? { onKeyDown: leaveByTab } : {})}
      maw="100%"
      value={input}
      maxLength={255}
      onChange={({ currentTarget }) => {
        setInput(currentTarget.value)
        send(currentTarget.value)
      }}
    />
  )
}

/**
 * Drops invalid filter values, such as an unknown state or a nonexistent date. The list and its inputs use
 * the same result, so a bad link shows what is actually applied.
 */
export function keepValidValues<Values extends Record<string, string | undefined>>(
  filters: readonly Filter[],
  values: Values,
): Partial<Values> {
  const valid: Partial<Values> = { ...values }
  for (const filter of filters)
    if (isKeyOf(valid, filter.name) && !isValid(filter, valid[filter.name])) delete valid[filter.name]
  return valid
}

/** A decimal amount as typed. The list converts it to the smallest unit of the currency. */
const AMOUNT = /^\d{1,12}(?:\.\d{1,8})?$/

function isValid({ choices, isDay = false, isAmount = false }: Filter, value: string | undefined): boolean {
  if (value === undefined) return true
  return (choices?.includes(value) ?? true) && (!isDay || isDate(value)) && (!isAmount || AMOUNT.test(value))
}

/** True for an existing day in ISO 8601 with a four-digit year. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  )
}

/** Formats the day of a point in time in the viewer's time zone, as used in filters. */
export function formatFilterDay(at: string): string {
  const time = new Date(at)
  const toTwoDigits = (value: number) => String(value).padStart(2, '0')
  return `${time.getFullYear()}-${toTwoDigits(time.getMonth() + 1)}-${toTwoDigits(time.getDate())}`
}

/**
 * Converts days in the viewer's time zone to time bounds, from the start of the first day to the end of the
 * last.
 */
export function toTimeRange(
  from: string | undefined,
  to: string | undefined,
): { readonly startDate?: string; readonly endDate?: string } {
  const [startDate, endDate] = [toDayStart(from), toDayEnd(to)]
  return { ...(startDate ? { startDate } : {}), ...(endDate ? { endDate } : {}) }
}

/** Returns the start of a day in the viewer's time zone, in the API's format. */
export function toDayStart(day: string | undefined): string | undefined {
  return day ? new Date(`${day}T00:00:00`).toISOString() : undefined
}

export function toDayEnd(day: string | undefined): string | undefined {
  return day ? new Date(`${day}T23:59:59.999`).toISOString() : undefined
}
