import { CARD_CURRENCY_OF } from '@countersign/contract/cards/cards'
import { isKeyOf } from '@countersign/contract/core/objects'
import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { announce } from '../../ui/announce.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { moneyText } from '../../ui/money.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'

interface OfCustomer {
  readonly customerId: string
}

type Account = Awaited<ReturnType<typeof countersign.internalAccounts.list>>['data'][number]

/** Returns the currency of cards that the account can pay for. Undefined if it can pay for no card. */
function cardCurrency({ balance: { currency } }: Account): string | undefined {
  return isKeyOf(CARD_CURRENCY_OF, currency.code) ? CARD_CURRENCY_OF[currency.code] : undefined
}

/** A button and form to issue a card to the customer. */
export function IssueCard({ customerId }: OfCustomer) {
  const denied = useDenied('TRANSACT')
  const client = useQueryClient()
  return (
    <DialogButton
      label="Issue a card"
      title="Issue a card"
      variant="default"
      buttonSize="xs"
      denied={denied}
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
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [reference, setReference] = useState('')
  const create = useMutation({
    mutationFn: async () =>
      await countersign.cards.create({
        cardholderId: customerId,
        form: 'VIRTUAL',
        fundingSources: [...chosen],
        ...(reference.trim() === '' ? {} : { platformCardId: reference.trim() }),
      }),
    onSuccess: ({ id }) => {
      announce('Ordered the card.')
      onDone()
      void navigate({ to: '/cards/$cardId', params: { cardId: id } })
    },
  })
  if (!accounts.data) return <Loading lines={3} />
  const paying = accounts.data.data.filter((account) => cardCurrency(account) !== undefined)
  if (paying.length === 0) return <Text>The customer has no account in a currency of cards.</Text>
  const first = paying.find(({ id }) => id === chosen[0])
  const currency = first && cardCurrency(first)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <FundingAccounts accounts={paying} currency={currency} chosen={chosen} onChange={setChosen} />
        <TextInput
          label="Your reference"
          description="Left out: generated"
          maxLength={255}
          value={reference}
          onChange={({ currentTarget }) => setReference(currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          {currency === undefined
            ? 'A virtual card.'
            : `A virtual card in ${currency}. It waits for the verification of the customer, if that is pending.`}
        </Text>
        {create.isError && <ErrorState error={create.error} />}
        <Group justify="flex-end">
          <Button type="submit" disabled={chosen.length === 0} loading={create.isPending}>
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
  readonly chosen: readonly string[]
  readonly onChange: (chosen: string[]) => void
}) {
  const { accounts, currency, chosen, onChange } = props
  return (
    <Checkbox.Group
      label="Accounts that pay"
      description="Tried in the order in which you choose them. All pay for cards in one currency"
      value={[...chosen]}
      onChange={onChange}
    >
      <Stack gap="xs" mt="xs">
        {accounts.map((account) => {
          const { id, type, balance } = account
          const place = chosen.indexOf(id) + 1
          return (
            <Checkbox
              key={id}
              value={id}
              disabled={currency !== undefined && cardCurrency(account) !== currency}
              label={`${wordsOf(type)}, ${moneyText(balance)}${place > 0 && chosen.length > 1 ? ` · ${place}.` : ''}`}
            />
          )
        })}
      </Stack>
    </Checkbox.Group>
  )
}
