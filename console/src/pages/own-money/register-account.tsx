import { EVM_NETWORKS } from '@countersign/contract/core/evm'
import { wordOf } from '@countersign/contract/core/objects'
import { OWN_ACCOUNT_PURPOSES } from '@countersign/contract/operation/own-money'
import type { ItemOf } from '@countersign/sdk'
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { accountWords } from '../../ui/account-words.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import type { Listed } from '../../ui/use-listed.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { useTreasuries } from './treasuries.ts'
import { useChanged } from './use-changed.ts'

type External = ItemOf<'platform_external_account_list'>
type Own = ItemOf<'own_account_list'>
type Registered = Listed<Own>

const ACCOUNTS_MAX = 100

/** The button that opens the form of a registration. */
export function RegisterAccount({ accounts }: { readonly accounts: Registered }) {
  const mayManage = useDenied('MANAGE')
  const onChanged = useChanged()
  return (
    <DialogButton
      label="Register account"
      title="Register an account of the operator"
      variant="default"
      denied={mayManage}
      onDone={onChanged}
    >
      {({ onDone }) => <ExternalAccounts registered={accounts.rows} onDone={onDone} />}
    </DialogButton>
  )
}

interface FormProps {
  readonly registered: readonly Own[]
  readonly onDone: () => void
}

/** The form, once the external accounts of the platform were read. */
function ExternalAccounts({ registered, onDone }: FormProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['own-money', 'external-accounts'],
    queryFn: async () => (await countersign.platformExternalAccounts.list({ limit: ACCOUNTS_MAX })).data,
  })
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) return <Loading lines={4} />
  const isRegistered = (id: string) =>
    registered.some(({ externalAccountId, status }) => externalAccountId === id && status !== 'REMOVED')
  const free = data.filter(({ id }) => !isRegistered(id))
  if (free.length === 0)
    return (
      <span>The platform has no other external account. Add one with POST /platform/external-accounts.</span>
    )
  return <RegistrationForm accounts={free} onDone={onDone} />
}

function RegistrationForm(props: { readonly accounts: readonly External[]; readonly onDone: () => void }) {
  const { accounts, onDone } = props
  const [chosen, setChosen] = useState('')
  const [purpose, setPurpose] = useState<Own['purpose']>('OWN_MONEY')
  const account = accounts.find(({ id }) => id === chosen) ?? accounts[0]
  const network = account && networkOf(account)
  const isCold = network !== undefined && purpose === 'COLD_STORAGE'
  const place = usePlace(account)
  return (
    <ConfirmForm
      label="Register account"
      isReady={account !== undefined}
      facts={[
        ...place,
        ['Currency', account?.currency],
        ['Purpose', wordsOf(isCold ? purpose : 'OWN_MONEY')],
      ]}
      effect={
        isCold
          ? 'The treasury of this network can send money to this address. Compare it with your own record of it, character by character.'
          : 'Fees and own capital can be paid to this account. Money that it sends, and that names no other account, is own capital.'
      }
      send={(order) =>
        countersign.ownAccounts.create({
          externalAccountId: account?.id ?? '',
          ...(isCold ? { purpose } : {}),
          ...order,
        })
      }
      onDone={onDone}
    >
      <NativeSelect
        label="External account of the platform"
        data={accounts.map((one) => ({ value: one.id, label: addressOf(one) ?? accountWords(one) }))}
        value={account?.id}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      {network && (
        <NativeSelect
          label="Purpose"
          data={OWN_ACCOUNT_PURPOSES.map((one) => ({ value: one, label: wordsOf(one) }))}
          value={purpose}
          onChange={({ currentTarget }) =>
            setPurpose(wordOf(OWN_ACCOUNT_PURPOSES, currentTarget.value) ?? 'OWN_MONEY')
          }
        />
      )}
    </ConfirmForm>
  )
}

/** The place of an account: rail, network and address on a chain, else holder and bank. */
function usePlace(account: External | undefined): readonly (readonly [name: string, value: ReactNode])[] {
  const { data: treasuries = [] } = useTreasuries()
  if (!account) return []
  const network = networkOf(account)
  const address = addressOf(account)
  if (!network || !address) return [['Account', accountWords(account)]]
  const onNetwork = treasuries.filter((one) => one.network === network)
  const simulated = treasuries.filter((one) => one.network === undefined)
  const rails = (onNetwork.length > 0 ? onNetwork : simulated).map(({ rail }) => rail)
  return [
    ['Rail', rails.length > 0 ? rails.join(', ') : 'No chain of this server'],
    ['Network', wordsOf(network)],
    ['Address', address],
  ]
}

function networkOf({ accountInfo }: External) {
  return EVM_NETWORKS.find((one) => accountInfo.accountType === `${one}_WALLET`)
}

function addressOf({ accountInfo }: External): string | undefined {
  return 'address' in accountInfo && typeof accountInfo.address === 'string' ? accountInfo.address : undefined
}
