import { CARD_CURRENCY_OF, type Card as CardSchema } from '@countersign/contract/cards/cards'
import { findWord, present } from '@countersign/contract/core/objects'
import { CARD_STATES } from '@countersign/contract/states/card-states'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { RecordName } from '../../ui/listed-name.tsx'
import { Page } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { formatCardName } from './card.ts'

type Card = Static<typeof CardSchema>

const route = getRouteApi('/cards')

/** The currencies in which cards can be issued. */
const CURRENCIES = [...new Set(Object.values(CARD_CURRENCY_OF))]

const FILTERS: readonly Filter[] = [
  { name: 'state', label: 'State', choices: CARD_STATES },
  { name: 'cardholderId', label: 'Cardholder', record: 'customer' },
  { name: 'currency', label: 'Currency', choices: CURRENCIES, formatLabel: (code) => code },
  { name: 'platformCardId', label: 'Your reference' },
]

const COLUMNS: readonly Column<Card>[] = [
  {
    id: 'card',
    header: 'Card',
    width: 'minmax(9rem, 2fr)',
    cell: (card) => <span className="figures">{formatCardName(card)}</span>,
  },
  {
    id: 'holder',
    header: 'Cardholder',
    width: 'minmax(8rem, 2fr)',
    cell: ({ cardholderId }) => <RecordName id={cardholderId} />,
  },
  {
    id: 'state',
    header: 'State',
    width: '7rem',
    cell: ({ state }) => <Status state={state} />,
  },
  {
    id: 'currency',
    header: 'Currency',
    width: '5rem',
    priority: 2,
    cell: ({ currency }) => currency,
  },
  {
    id: 'id',
    header: 'Id',
    width: '10rem',
    priority: 3,
    cell: ({ id }) => <span className="id">{shortenId(id)}</span>,
  },
  {
    id: 'created',
    header: 'Requested',
    width: '9.5rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export function CardList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const { state, cardholderId, currency, platformCardId } = search
  const filters = present({
    state: findWord(CARD_STATES, state),
    cardholderId,
    currency: findWord(CURRENCIES, currency),
    platformCardId,
  })
  const list = usePagedList(['cards', 'list', filters], (page) =>
    countersign.cards.list({ ...filters, ...page, includeNames: true }),
  )
  return (
    <Page title="Cards">
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Cards"
        file={buildCsvUrl('/cards', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/cards/${id}`}
        empty={
          Object.keys(filters).length > 0
            ? { title: 'No matching cards', text: 'Remove a filter.' }
            : {
                title: 'No cards yet',
                text: 'Your backend orders cards with POST /cards for customers whose identity is verified.',
              }
        }
      />
    </Page>
  )
}
