import { EVM_NETWORKS } from '@countersign/contract/core/evm'
import { findWord } from '@countersign/contract/core/objects'
import { OWN_ACCOUNT_PURPOSES } from '@countersign/contract/operation/own-money'
import type { ItemOf } from '@countersign/sdk'
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { describeAccount } from '../../ui/account-words.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import type { PagedList } from '../../ui/use-listed.ts'
import {
  type AccountDraft,
  buildAccountInfo,
  type FieldError,
  findFieldError,
  isComplete,
  listFields,
  listTypes,
} from './account-draft.ts'
import { AccountFields, createDraft } from './account-fields.tsx'
import { ConfirmForm } from './confirm-form.tsx'
import { useTreasuries } from './treasuries.ts'
import { useReloadOwnMoney } from './use-changed.ts'

type External = ItemOf<'platform_external_account_list'>
type OwnAccount = ItemOf<'own_account_list'>

type Fact = readonly [name: string, value: ReactNode]

const ACCOUNTS_MAX = 100
/** The option for an account that the platform does not have yet. */
const NEW = ''
const COLD_EFFECT =
  'The treasury of this network can send money to this address. Compare it with your own record of it, character by character.'
const OWN_EFFECT =
  'Fees and own capital can be paid to this account. Money from it that names no other account counts as own capital.'

/** A button that opens the registration form. */
export function RegisterAccount({ accounts }: { readonly accounts: PagedList<OwnAccount> }) {
  const missingManage = useMissingPermission('MANAGE')
  const onChanged = useReloadOwnMoney()
  return (
    <DialogButton
      label="Register account"
      title="Register an account of the operator"
      variant="default"
      disabledReason={missingManage}
      onDone={onChanged}
    >
      {({ onDone }) => <ExternalAccounts registered={accounts.rows} onDone={onDone} />}
    </DialogButton>
  )
}

interface FormProps {
  readonly registered: readonly OwnAccount[]
  readonly onDone: () => void
}

/** Loads the platform's accounts, then shows the form. */
function ExternalAccounts({ registered, onDone }: FormProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['own-money', 'external-accounts'],
    queryFn: async () => {
      const [external, internal] = await Promise.all([
        countersign.platformExternalAccounts.list({ limit: ACCOUNTS_MAX }),
        countersign.platformInternalAccounts.list(),
      ])
      return {
        accounts: external.data,
        currencies: internal.data.map(({ balance }) => balance.currency.code),
      }
    },
  })
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) return <Loading lines={4} />
  const isRegistered = (id: string) =>
    registered.some(({ externalAccountId, status }) => externalAccountId === id && status !== 'REMOVED')
  const unregistered = data.accounts.filter(({ id }) => !isRegistered(id))
  const currencies = [...new Set(data.currencies)].filter((code) => listTypes(code).length > 0)
  return <RegistrationForm accounts={unregistered} currencies={currencies} reload={refetch} onDone={onDone} />
}

interface RegistrationProps {
  readonly accounts: readonly External[]
  /** The currencies in which the platform can hold money. */
  readonly currencies: readonly string[]
  readonly reload: () => Promise<unknown>
  readonly onDone: () => void
}

/** Registers one of the platform's external accounts: an existing one, or a new one that is created first. */
function RegistrationForm({ accounts, currencies, reload, onDone }: RegistrationProps) {
  const [accountId, setAccountId] = useState(accounts[0]?.id ?? NEW)
  const [purpose, setPurpose] = useState<OwnAccount['purpose']>('OWN_MONEY')
  const createdAccount = useNewAccount(currencies)
  const account = accounts.find(({ id }) => id === accountId)
  const typeName = account?.accountInfo.accountType ?? createdAccount.draft.type
  const isCold = findNetwork(typeName) !== undefined && purpose === 'COLD_STORAGE'
  const facts = useFacts(account, createdAccount.draft)
  /**
   * Creates the account and registers it. If the registration fails, a retry does not create the account
   * again.
   */
  const createAndRegister = async () => {
    const { id } = await createdAccount.create()
    await reload()
    setAccountId(id)
    return id
  }
  return (
    <ConfirmForm
      label="Register account"
      isReady={account !== undefined || isComplete(createdAccount.draft)}
      facts={[
        ...facts,
        ['Currency', account?.currency ?? createdAccount.draft.currency],
        ['Purpose', formatConstant(isCold ? purpose : 'OWN_MONEY')],
      ]}
      effect={isCold ? COLD_EFFECT : OWN_EFFECT}
      send={async (order) => {
        const externalAccountId = account?.id ?? (await createAndRegister())
        const kind = isCold ? { purpose } : {}
        await countersign.ownAccounts.create({ externalAccountId, ...kind, ...order })
      }}
      onError={(error) => account === undefined && createdAccount.showError(error)}
      onDone={onDone}
    >
      {accounts.length > 0 && <AccountChoice accounts={accounts} account={account} choose={setAccountId} />}
      {!account && <AccountFields {...createdAccount} currencies={currencies} />}
      {findNetwork(typeName) && <PurposeChoice purpose={purpose} choose={setPurpose} />}
    </ConfirmForm>
  )
}

/** State for a new account: its details, and a field that the server has rejected. */
function useNewAccount(currencies: readonly string[]) {
  const [draft, setDraft] = useState(() => createDraft(currencies[0] ?? ''))
  const [fieldError, setFieldError] = useState<FieldError>()
  return {
    draft,
    error: fieldError,
    change: (next: AccountDraft) => {
      setDraft(next)
      setFieldError(undefined)
    },
    create: () =>
      countersign.platformExternalAccounts.create({
        currency: draft.currency,
        accountInfo: buildAccountInfo(draft),
      }),
    /** Returns false if the error does not refer to a field. */
    showError: (error: unknown) => {
      const rejectedField = findFieldError(error, draft)
      setFieldError(rejectedField)
      return rejectedField !== undefined
    },
  }
}

function AccountChoice(props: {
  readonly accounts: readonly External[]
  readonly account: External | undefined
  readonly choose: (id: string) => void
}) {
  const { accounts, account, choose } = props
  return (
    <NativeSelect
      label="External account of the platform"
      data={[
        ...accounts.map((account) => ({
          value: account.id,
          label: getAddress(account) ?? describeAccount(account),
        })),
        { value: NEW, label: 'Another account …' },
      ]}
      value={account?.id ?? NEW}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  )
}

function PurposeChoice(props: {
  readonly purpose: OwnAccount['purpose']
  readonly choose: (purpose: OwnAccount['purpose']) => void
}) {
  const { purpose, choose } = props
  return (
    <NativeSelect
      label="Purpose"
      data={OWN_ACCOUNT_PURPOSES.map((purpose) => ({ value: purpose, label: formatConstant(purpose) }))}
      value={purpose}
      onChange={({ currentTarget }) =>
        choose(findWord(OWN_ACCOUNT_PURPOSES, currentTarget.value) ?? 'OWN_MONEY')
      }
    />
  )
}

/**
 * Identifies the account: rail, network and address on a chain, otherwise holder and bank. For a new account,
 * all of its details.
 */
function useFacts(account: External | undefined, draft: AccountDraft): readonly Fact[] {
  const { data: treasuries = [] } = useTreasuries()
  const network = findNetwork(account?.accountInfo.accountType ?? draft.type)
  const address = account ? getAddress(account) : draft.values.address?.trim()
  if (!network || !address) return account ? [['Account', describeAccount(account)]] : listDetails(draft)
  const onNetwork = treasuries.filter((treasury) => treasury.network === network)
  const simulated = treasuries.filter((treasury) => treasury.network === undefined)
  const rails = (onNetwork.length > 0 ? onNetwork : simulated).map(({ rail }) => rail)
  return [
    ['Rail', rails.length > 0 ? rails.join(', ') : 'No chain of this server'],
    ['Network', formatConstant(network)],
    ['Address', address],
  ]
}

function listDetails({ type, values }: AccountDraft): readonly Fact[] {
  const fields = listFields(type).flatMap(({ name, label, choices }): Fact[] => {
    const value = (values[name] ?? '').trim()
    return value === '' ? [] : [[label, choices ? formatConstant(value) : value]]
  })
  return [['Kind of account', formatConstant(type)], ...fields]
}

function findNetwork(accountType: string) {
  return EVM_NETWORKS.find((network) => accountType === `${network}_WALLET`)
}

function getAddress({ accountInfo }: External): string | undefined {
  return 'address' in accountInfo && typeof accountInfo.address === 'string' ? accountInfo.address : undefined
}
