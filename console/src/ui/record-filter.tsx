import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../data/client.ts'
import { nameOf } from '../pages/customers/customer.ts'
import { accountWords } from './account-words.ts'
import { shortId } from './record-id.tsx'
import { wordsOf } from './status-meaning.ts'

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
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [searchText] = useDebouncedValue(typed.trim(), TYPING_MS)
  const chosen = useQuery({
    queryKey: ['filter', 'name', value],
    queryFn: () => findName(value),
    enabled: value !== '',
    staleTime: CACHE_MS,
  })
  const selectedChoice: Choice[] = value === '' ? [] : [{ value, label: chosen.data ?? shortId(value) }]
  // When a record is selected, the input contains its label, which is not a search.
  const query = searchText === selectedChoice[0]?.label ? '' : searchText
  const found = useQuery({
    queryKey: ['filter', kind, query],
    queryFn: () => CHOICES[kind](query),
    enabled: isOpen,
    staleTime: CACHE_MS,
    placeholderData: keepPreviousData,
  })
  const typedId: Choice[] =
    isId(searchText) && searchText !== value ? [{ value: searchText, label: shortId(searchText) }] : []
  const others = (found.data ?? []).filter((one) => one.value !== value && one.value !== searchText)
  return (
    <Select
      label={label}
      w={{ base: 'auto', sm: 220 }}
      maw="100%"
      placeholder="Any"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
      nothingFoundMessage={found.isFetching ? 'Searching …' : 'Nothing found'}
      value={value === '' ? null : value}
      data={[...selectedChoice, ...typedId, ...others]}
      // The server has already searched, and not only by label.
      filter={({ options }) => options}
      onSearchChange={setTyped}
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
      data={choices.map(([one, words]) => ({ value: one, label: words }))}
      onChange={(chosen) => change(chosen ?? '')}
    />
  )
}

function isId(text: string): boolean {
  return /^[A-Z][A-Za-z]+:[0-9a-f-]{36}$/.test(text)
}

const CHOICES: Readonly<Record<RecordKind, (asked: string) => Promise<readonly Choice[]>>> = {
  customer: async (asked) => {
    const search = asked === '' ? {} : { search: asked }
    const { data } = await countersign.customers.list({ limit: CHOICES_MAX, ...search })
    return data.map((one) => ({ value: one.id, label: nameOf(one) }))
  },
  account: async (asked) => {
    if (asked !== '') return searchAccounts(asked, ['INTERNAL_ACCOUNT', 'EXTERNAL_ACCOUNT'])
    const [own, external] = await Promise.all([
      listPlatformAccounts(),
      countersign.externalAccounts.list({ limit: CHOICES_MAX }),
    ])
    return [...own, ...external.data.map((one) => ({ value: one.id, label: accountWords(one) }))]
  },
  'internal account': (asked) =>
    asked === '' ? listPlatformAccounts() : searchAccounts(asked, ['INTERNAL_ACCOUNT']),
  caller: async (asked) => {
    const [members, tokens] = await Promise.all([
      countersign.members.list({ limit: 100 }),
      countersign.tokens.list({ limit: 100 }),
    ])
    return [...members.data, ...tokens.data]
      .filter(({ name }) => name.toLowerCase().includes(asked.toLowerCase()))
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
      return nameOf(await countersign.customers.get(id))
    case 'ExternalAccount':
      return accountWords(await countersign.externalAccounts.get(id))
    case 'InternalAccount': {
      const { name, currency } = await countersign.ledgerAccounts.get(id, {})
      return `${name === undefined ? 'Account' : wordsOf(name.toUpperCase())} in ${currency.code}`
    }
    case 'Member':
      return (await countersign.members.get(id)).name
    case 'Token':
      return (await countersign.tokens.get(id)).name
    default:
      return id
  }
}
