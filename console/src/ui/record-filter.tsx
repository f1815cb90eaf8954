import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../data/client.ts'
import { formatCustomerName } from '../pages/customers/customer.ts'
import { describeAccount } from './account-words.ts'
import { shortenId } from './record-id.tsx'
import { formatConstant } from './status-meaning.ts'

/** The kinds of records by which a list can be filtered. */
export type RecordKind = 'customer' | 'account' | 'internal account' | 'caller'

interface Choice {
  readonly value: string
  readonly label: string
}

const TYPING_MS = 250
const CHOICES_MAX = 20
const CACHE_MS = 60_000

/**
 * Chooses a record by name. Lists the newest records until something is typed. A pasted id is used as it is.
 */
export function RecordFilter(props: {
  readonly label: string
  readonly kind: RecordKind
  readonly value: string
  readonly change: (id: string) => void
}) {
  const { label, kind, value, change } = props
  const [input, setInput] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [searchText] = useDebouncedValue(input.trim(), TYPING_MS)
  const selectedName = useQuery({
    queryKey: ['filter', 'name', value],
    queryFn: () => findName(value),
    enabled: value !== '',
    staleTime: CACHE_MS,
  })
  const selectedChoice: Choice[] =
    value === '' ? [] : [{ value, label: selectedName.data ?? shortenId(value) }]
  // When a record is selected, the input contains its label, which is not a search.
  const query = searchText === selectedChoice[0]?.label ? '' : searchText
  const results = useQuery({
    queryKey: ['filter', kind, query],
    queryFn: () => CHOICES[kind](query),
    enabled: isOpen,
    staleTime: CACHE_MS,
    placeholderData: keepPreviousData,
  })
  const typedId: Choice[] =
    isId(searchText) && searchText !== value ? [{ value: searchText, label: shortenId(searchText) }] : []
  const otherChoices = (results.data ?? []).filter(
    (choice) => choice.value !== value && choice.value !== searchText,
  )
  return (
    <Select
      label={label}
      w={{ base: 'auto', sm: 220 }}
      maw="100%"
      placeholder="Any"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
      nothingFoundMessage={results.isFetching ? 'Searching …' : 'Nothing found'}
      value={value === '' ? null : value}
      data={[...selectedChoice, ...typedId, ...otherChoices]}
      // The server has already searched, and not only by label.
      filter={({ options }) => options}
      onSearchChange={setInput}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onChange={(id) => change(id ?? '')}
    />
  )
}

/** A searchable choice among many options. */
export function SearchedChoice(props: {
  readonly label: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, label: string])[]
  readonly change: (value: string) => void
}) {
  const { label, value, choices, change } = props
  return (
    <Select
      label={label}
      w={{ base: 'auto', sm: 220 }}
      maw="100%"
      placeholder="Any"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
      nothingFoundMessage="Nothing found"
      value={value === '' ? null : value}
      data={choices.map(([choice, words]) => ({ value: choice, label: words }))}
      onChange={(chosen) => change(chosen ?? '')}
    />
  )
}

function isId(text: string): boolean {
  return /^[A-Z][A-Za-z]+:[0-9a-f-]{36}$/.test(text)
}

const CHOICES: Readonly<Record<RecordKind, (text: string) => Promise<readonly Choice[]>>> = {
  customer: async (text) => {
    const search = text === '' ? {} : { search: text }
    const { data } = await countersign.customers.list({ limit: CHOICES_MAX, ...search })
    return data.map((customer) => ({ value: customer.id, label: formatCustomerName(customer) }))
  },
  account: async (text) => {
    if (text !== '') return searchAccounts(text, ['INTERNAL_ACCOUNT', 'EXTERNAL_ACCOUNT'])
    const [internalChoices, external] = await Promise.all([
      listPlatformAccounts(),
      countersign.externalAccounts.list({ limit: CHOICES_MAX }),
    ])
    return [
      ...internalChoices,
      ...external.data.map((account) => ({ value: account.id, label: describeAccount(account) })),
    ]
  },
  'internal account': (text) =>
    text === '' ? listPlatformAccounts() : searchAccounts(text, ['INTERNAL_ACCOUNT']),
  caller: async (text) => {
    const [members, tokens] = await Promise.all([
      countersign.members.list({ limit: 100 }),
      countersign.tokens.list({ limit: 100 }),
    ])
    return [...members.data, ...tokens.data]
      .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
      .map(({ id, name }) => ({ value: id, label: name }))
  },
}

async function searchAccounts(query: string, types: readonly string[]): Promise<readonly Choice[]> {
  const { data } = await countersign.search.all({ query })
  return data.filter(({ type }) => types.includes(type)).map(({ id, title }) => ({ value: id, label: title }))
}

async function listPlatformAccounts(): Promise<readonly Choice[]> {
  const { data } = await countersign.platformInternalAccounts.list()
  return data.map(({ id, balance }) => ({ value: id, label: `The platform, ${balance.currency.code}` }))
}

/** Finds the name of a record whose id is in the URL. Undefined if the URL contains no id. */
async function findName(id: string): Promise<string | undefined> {
  const [kind] = id.split(':', 1)
  switch (kind) {
    case 'Customer':
      return formatCustomerName(await countersign.customers.get(id))
    case 'ExternalAccount':
      return describeAccount(await countersign.externalAccounts.get(id))
    case 'InternalAccount': {
      const { name, currency } = await countersign.ledgerAccounts.get(id, {})
      return `${name === undefined ? 'Account' : formatConstant(name.toUpperCase())} in ${currency.code}`
    }
    case 'Member':
      return (await countersign.members.get(id)).name
    case 'Token':
      return (await countersign.tokens.get(id)).name
    default:
      return id
  }
}
