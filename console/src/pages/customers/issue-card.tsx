import { CARD_CURRENCY_OF } from '@countersign/contract/cards/cards'
import { isKeyOf } from '@countersign/contract/core/objects'
import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { announce } from '../../ui/announce.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { formatMoney } from '../../ui/money.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'

interface OfCustomer {
  readonly customerId: string
}

type Account = Awaited<ReturnType<typeof countersign.internalAccounts.list>>['data'][number]

/** Returns the currency of cards that the account can pay for. Undefined if it can pay for no card. */
function getCardCurrency({ balance: { currency } }: Account): string | undefined {
  return isKeyOf(CARD_CURRENCY_OF, currency.code) ? CARD_CURRENCY_OF[currency.code] : undefined
}

/** A button and form to issue a card to the customer. */
export function IssueCard({ customerId }: OfCustomer) {
  const disabledReason = useMissingPermission('TRANSACT')
  const client = useQueryClient()
  return (
    <DialogButton
      label="Issue a card"
      title="Issue a card"
      variant="default"
      buttonSize="xs"
      disabledReason={disabledReason}
      onDone={() => void client.invalidateQueries({ queryKey: ['cards'] })}
    >
      {({ onDone }) => <CardForm customerId={customerId} onDone={onDone} />}
    </DialogButton>
  )
}

function CardForm({ customerId, onDone }: OfCustomer & { readonly onDone: () => void }) {
  const navigate = useNavigate()
  const accounts = useQuery({
    queryKey: ['accounts', 'of', customerId],
    queryFn: () => countersign.internalAccounts.list({ customerId, limit: 100 }),
  })
  const [accountIds, setAccountIds] = useState<readonly string[]>([])
  const [reference, setReference] = useState('')
  const create = useMutation({
    mutationFn: async () =>
      await countersign.cards.create({
        cardholderId: customerId,
        form: 'VIRTUAL',
        fundingSources: [...accountIds],
        ...(reference.trim() === '' ? {} : { platformCardId: reference.trim() }),
      }),
    onSuccess: ({ id }) => {
      announce('Card ordered.')
      onDone()
      void navigate({ to: '/cards/$cardId', params: { cardId: id } })
    },
  })
  if (!accounts.data) return <Loading lines={3} />
  const eligible = accounts.data.data.filter((account) => getCardCurrency(account) !== undefined)
  if (eligible.length === 0)
    return <Text>The customer has no account in a currency that supports cards.</Text>
  const first = eligible.find(({ id }) => id === accountIds[0])
  const currency = first && getCardCurrency(first)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <FundingAccounts {...{ accounts: eligible, currency, accountIds }} onChange={setAccountIds} />
        <TextInput
          label="Your reference"
          description="Generated if empty"
          maxLength={255}
          value={reference}
          onChange={({ currentTarget }) => setReference(currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          {currency === undefined
            ? 'A virtual card.'
            : `A virtual card in ${currency}. If the customer's verification is pending, the card waits for it.`}
        </Text>
        {create.isError && <ErrorState error={create.error} />}
        <Group justify="flex-end">
          <Button type="submit" disabled={accountIds.length === 0} loading={create.isPending}>
            Issue a card
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function FundingAccounts(props: {
  readonly accounts: readonly Account[]
  /** The card's currency, once an account has been chosen. */
  readonly currency: string | undefined
  readonly accountIds: readonly string[]
  readonly onChange: (chosen: string[]) => void
}) {
  const { accounts, currency, accountIds, onChange } = props
  return (
    <Checkbox.Group
      label="Funding accounts"
      description="Used in the order in which you select them. All must have the same currency."
      value={[...accountIds]}
      onChange={onChange}
    >
      <Stack gap="xs" mt="xs">
        {accounts.map((account) => {
          const { id, type, balance } = account
          const place = accountIds.indexOf(id) + 1
          return (
            <Checkbox
              key={id}
              value={id}
              disabled={currency !== undefined && getCardCurrency(account) !== currency}
              label={`${formatConstant(type)}, ${formatMoney(balance)}${place > 0 && accountIds.length > 1 ? ` · ${place}.` : ''}`}
            />
          )
        })}
      </Stack>
    </Checkbox.Group>
  )
}
