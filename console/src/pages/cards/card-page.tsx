import type { Card as CardSchema } from '@countersign/contract/cards/cards'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordLink } from '../../ui/record-link.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { formatCardName } from './card.ts'
import { FreezeButtons } from './freeze-buttons.tsx'
import { PURCHASES } from './purchases.tsx'

type Card = Static<typeof CardSchema>

const route = getRouteApi('/cards/$cardId')
const PARENT = { title: 'Cards', to: '/cards' }

export function CardPage() {
  const { cardId } = route.useParams()
  const query = useQuery({ queryKey: ['cards', 'one', cardId], queryFn: () => countersign.cards.get(cardId) })
  return (
    <RecordPage query={query} title="Card" parent={PARENT}>
      {(record) => <CardDetail card={record} />}
    </RecordPage>
  )
}

function CardDetail({ card }: { readonly card: Card }) {
  return (
    <Page
      title={formatCardName(card)}
      aside={<Status state={card.state} />}
      actions={<FreezeButtons card={card} />}
      parent={PARENT}
    >
      <RecordId id={card.id} />
      <div className="columns">
        <div className="stacked">
          <Purchases cardId={card.id} />
          <FundingSources card={card} />
        </div>
        <div className="stacked">
          <About card={card} />
        </div>
      </div>
    </Page>
  )
}

function About({ card }: { readonly card: Card }) {
  const { expMonth, expYear, platformFreeze } = card
  return (
    <Panel title="About">
      <Facts
        items={[
          [
            'Cardholder',
            <RecordLink key="holder" id={card.cardholderId}>
              <CustomerName id={card.cardholderId} />
            </RecordLink>,
          ],
          ['State reason', card.stateReason && formatConstant(card.stateReason)],
          ['Frozen by you', platformFreeze && <Time key="frozen" at={platformFreeze.frozenAt} />],
          ['Freeze reason', platformFreeze?.reason],
          [
            'Lifted by',
            platformFreeze && (platformFreeze.cardholderMayLift ? 'You or the cardholder' : 'You'),
          ],
          ['Kind', formatConstant(card.form)],
          ['Currency', card.currency],
          ['Valid until', expMonth && expYear && `${String(expMonth).padStart(2, '0')}/${expYear}`],
          ['Your reference', card.platformCardId],
          ['Processor reference', card.processorRef],
          ['Requested', <Time key="created" at={card.createdAt} />],
          ['Changed', <Time key="changed" at={card.updatedAt} />],
        ]}
      />
      <p className="soft">
        The cardholder freezes, unfreezes and closes the card in your app with a wallet signature.
      </p>
    </Panel>
  )
}

function FundingSources({ card: { cardholderId, fundingSources } }: { readonly card: Card }) {
  const accounts = useQuery({
    queryKey: ['accounts', 'of', cardholderId],
    queryFn: () => countersign.internalAccounts.list({ customerId: cardholderId, limit: 100 }),
  })
  return (
    <Panel title="Funding sources" isBare>
      <QueryResult query={accounts}>
        {({ data }) => (
          <ShortTable
            name="Funding sources"
            rows={fundingSources.map((id, at) => ({
              id,
              place: at + 1,
              account: data.find((account) => account.id === id),
            }))}
            getId={({ id }) => id}
            empty="This card has no funding source."
            columns={[
              { id: 'place', header: 'Order', width: '3rem', cell: ({ place }) => `${place}.` },
              {
                id: 'account',
                header: 'Account',
                width: 'minmax(8rem, 1fr)',
                cell: ({ account }) => (account ? formatConstant(account.type) : 'Closed account'),
              },
              {
                id: 'balance',
                header: 'Available',
                width: 'minmax(8rem, 1fr)',
                isRightAligned: true,
                cell: ({ account }) => <Money amount={account?.balance} />,
              },
            ]}
          />
        )}
      </QueryResult>
    </Panel>
  )
}

function Purchases({ cardId }: { readonly cardId: string }) {
  const list = usePagedList(['cards', 'transactions', cardId], (page) =>
    countersign.cards.transactions(cardId, page),
  )
  return (
    <section aria-label="Purchases">
      <DataTable
        name="Purchases"
        file={buildCsvUrl(`/cards/${cardId}/transactions`)}
        columns={PURCHASES}
        list={list}
        getId={({ id }) => id}
        empty={{
          title: 'No purchases yet',
          text: 'A purchase appears here as soon as a merchant requests it.',
        }}
      />
    </section>
  )
}
