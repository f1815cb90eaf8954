import { ACCOUNT_VERIFICATION_TRANSITIONS } from '@countersign/contract/states/account-verification-states'
import type { ItemOf } from '@countersign/sdk'
import { Group, NumberInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'

type ExternalAccount = Awaited<ReturnType<typeof countersign.externalAccounts.get>>
type Verification = ItemOf<'account_verification_list'>

/** A customer's US bank account: its latest verification by two deposits, and the available actions. */
export function AccountVerification({ account }: { readonly account: ExternalAccount }) {
  const { id, customerId, accountInfo } = account
  const query = useQuery({
    queryKey: ['accounts', id, 'verification'],
    queryFn: async () =>
      (await countersign.accountVerifications.list({ externalAccountId: id, limit: 1 })).data,
  })
  if (accountInfo.accountType !== 'USD_ACCOUNT' || customerId === undefined) return null
  return (
    <QueryResult query={query} lines={2}>
      {([last]) => (
        <Panel
          title="Verification by deposits"
          actions={
            <Group gap="xs">
              <Actions accountId={id} last={last} />
              {last && <Status state={last.status} />}
            </Group>
          }
        >
          {last ? <About verification={last} /> : 'This account is not verified yet.'}
        </Panel>
      )}
    </QueryResult>
  )
}

function About({ verification }: { readonly verification: Verification }) {
  const { transactionIds, attemptsLeft, failureReason, message, createdAt, expiresAt, verifiedAt } =
    verification
  return (
    <Facts
      items={[
        [
          'Deposits',
          <Group gap="xs">
            {transactionIds.map((id) => (
              <TextLink key={id} to={`/transactions/${id}`}>
                {id}
              </TextLink>
            ))}
          </Group>,
        ],
        ['Attempts left', attemptsLeft],
        ['Reason', failureReason && [formatConstant(failureReason), message].filter(Boolean).join(': ')],
        ['Started', <Time at={createdAt} />],
        verifiedAt ? ['Verified', <Time at={verifiedAt} />] : ['Expires', <Time at={expiresAt} />],
      ]}
    />
  )
}

function Actions(props: { readonly accountId: string; readonly last: Verification | undefined }) {
  const { accountId, last } = props
  const client = useQueryClient()
  const disabledReason = useMissingPermission('TRANSACT')
  const onDone = () => void client.invalidateQueries({ queryKey: ['accounts', accountId] })
  if (last && ACCOUNT_VERIFICATION_TRANSITIONS[last.status].verify !== null)
    return <Confirm id={last.id} onDone={onDone} />
  if (last && ACCOUNT_VERIFICATION_TRANSITIONS[last.status].fail !== null) return null
  return (
    <ActionButton
      size="xs"
      disabledReason={disabledReason}
      label="Verify"
      successText="The deposits are on their way."
      question={{
        title: 'Send two deposits?',
        text: "The platform's USD account sends two amounts of less than one US dollar. The customer finds them on the statement of this account.",
      }}
      act={async () => await countersign.accountVerifications.create({ externalAccountId: accountId })}
      onDone={onDone}
    />
  )
}

function Confirm({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const disabledReason = useMissingPermission('MANAGE')
  const [firstCents, setFirstCents] = useState<number | string>('')
  const [secondCents, setSecondCents] = useState<number | string>('')
  const cents = { min: 1, max: 99, allowDecimal: false, hideControls: true, size: 'xs', w: '9rem' } as const
  return (
    <ActionButton
      size="xs"
      disabledReason={disabledReason}
      label="Confirm amounts"
      successText={undefined}
      question={{
        title: 'Confirm the amounts of the deposits',
        text: (
          <Group>
            <NumberInput
              label="One deposit, in cents"
              value={firstCents}
              onChange={setFirstCents}
              {...cents}
            />
            <NumberInput
              label="The other deposit, in cents"
              value={secondCents}
              onChange={setSecondCents}
              {...cents}
            />
          </Group>
        ),
      }}
      act={async () =>
        await countersign.accountVerifications.confirm(id, { amounts: [firstCents, secondCents].map(BigInt) })
      }
      onDone={onDone}
    />
  )
}
