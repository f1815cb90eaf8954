import { isKeyOf } from '@countersign/contract/core/objects'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { leaveByTab } from './leave-by-tab.ts'
import { RecordFilter, type RecordKind, SearchedChoice } from './record-filter.tsx'
import { SavedViews } from './saved-views.tsx'
import { wordsOf } from './status-meaning.ts'

/** One list filter, by its name in the address: a choice of words or of a record, a day, or a text. */
export interface Filter {
  readonly name: string
  readonly label: string
  readonly choices?: readonly string[]
  /** The words of a choice. */
  readonly labelOf?: (choice: string) => string
  readonly isDay?: boolean
  /** A record of this kind, found by its name. */
  readonly record?: RecordKind
  /** A decimal amount, without a currency. */
  readonly isAmount?: boolean
}

const TYPING_MS = 250
/** Above this a choice is searched by typing. */
const LONG_CHOICE = 20
/** On a phone, more filters than one line holds are behind a button. */
const SHOWN_ON_PHONES = 2

/** The filters of a list. They are in the address of the page, so that it can be sent to a colleague. */
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
      search: (former: Record<string, unknown>) => ({ ...former, [name]: value === '' ? undefined : value }),
      replace: true,
    })
  // Decided once: filters that appear after a choice must not hide it.
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
  const { name, label, choices, labelOf = wordsOf, record, isDay = false, isAmount = false } = filter
  const [typed, setTyped] = useState(value)
  // Follows the address, for the back button and for links.
  useEffect(() => setTyped(value), [value])
  const send = useDebouncedCallback((text: string) => change(name, text), TYPING_MS)
  if (record)
    return (
      <RecordFilter label={label} kind={record} value={value} change={(chosen) => change(name, chosen)} />
    )
  if (choices && choices.length > LONG_CHOICE)
    return (
      <SearchedChoice
        label={label}
        value={value}
        choices={choices.map((one) => [one, labelOf(one)])}
        change={(chosen) => change(name, chosen)}
      />
    )
  if (choices)
    return (
      <NativeSelect
        label={label}
        value={value}
        onChange={({ currentTarget }) => change(name, currentTarget.value)}
        data={[{ value: '', label: 'Any' }, ...choices.map((one) => ({ value: one, label: labelOf(one) }))]}
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
      value={typed}
      maxLength={255}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        send(currentTarget.value)
      }}
    />
  )
}

/**
 * The values of a list's filters without those that a filter cannot have, such as an unknown state or a date that does
 * not exist. The list and its inputs use the same values, so a bad link shows what is applied.
 */
export function validValues<Values extends Record<string, string | undefined>>(
  filters: readonly Filter[],
  values: Values,
): Partial<Values> {
  const valid: Partial<Values> = { ...values }
  for (const filter of filters)
    if (isKeyOf(valid, filter.name) && !isValid(filter, valid[filter.name])) delete valid[filter.name]
  return valid
}

/** A decimal amount as people type it; the list turns it into the smallest unit of its currency. */
const AMOUNT = /^\d{1,12}(?:\.\d{1,8})?$/

function isValid({ choices, isDay = false, isAmount = false }: Filter, value: string | undefined): boolean {
  if (value === undefined) return true
  return (choices?.includes(value) ?? true) && (!isDay || isDate(value)) && (!isAmount || AMOUNT.test(value))
}

/** Checks that a string is an existing day in ISO 8601, with a year of four digits. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  )
}

/** The day of a moment in the viewer's zone, as a filter holds it. */
export function dayOf(at: string): string {
  const time = new Date(at)
  const toTwoDigits = (value: number) => String(value).padStart(2, '0')
  return `${time.getFullYear()}-${toTwoDigits(time.getMonth() + 1)}-${toTwoDigits(time.getDate())}`
}

/** Days of the viewer's zone as the bounds of a list: from the first moment of one to the last of the other. */
export function timesOfDays(
  from: string | undefined,
  to: string | undefined,
): { readonly startDate?: string; readonly endDate?: string } {
  const [startDate, endDate] = [dayStart(from), dayEnd(to)]
  return { ...(startDate ? { startDate } : {}), ...(endDate ? { endDate } : {}) }
}

/** A day of the viewer's zone as the API takes it: its first or its last moment. */
export function dayStart(day: string | undefined): string | undefined {
  return day ? new Date(`${day}T00:00:00`).toISOString() : undefined
}

export function dayEnd(day: string | undefined): string | undefined {
  return day ? new Date(`${day}T23:59:59.999`).toISOString() : undefined
}
