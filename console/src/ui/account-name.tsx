import { useQuery } from '@tanstack/react-query'
import { countersign } from '../data/client.ts'
import { describeAccount } from './account-words.ts'
import { CustomerName } from './customer-name.tsx'
import { shortenId } from './record-id.tsx'
import { formatConstant } from './status-meaning.ts'
import { TextLink } from './text-link.tsx'

const CACHE_MS = 5 * 60_000

/**
 * Links to an account by name: holder, bank and last digits for an external account, the owner for an
 * internal one.
 */
export function AccountLink({ id }: { readonly id: string }) {
  return (
    <TextLink to={`/accounts/${id}`}>
      {id.startsWith('ExternalAccount:') ? <ExternalName id={id} /> : <InternalName id={id} />}
    </TextLink>
  )
}

function ExternalName({ id }: { readonly id: string }) {
  // If the account has been deleted, this fails and the id is shown instead.
  const { data } = useQuery({
    queryKey: ['accounts', id],
    queryFn: () => countersign.externalAccounts.get(id),
    staleTime: CACHE_MS,
  })
  return <span className={data ? 'anywhere' : 'id'}>{data ? describeAccount(data) : shortenId(id)}</span>
}

function InternalName({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['accounts', id],
    queryFn: () => countersign.ledgerAccounts.get(id, {}),
    staleTime: CACHE_MS,
  })
  if (!data) return <span className="id">{shortenId(id)}</span>
  const { owner, name, currency } = data
  const words =
    name === undefined
      ? `${currency.code} account`
      : `${formatConstant(name.toUpperCase())} in ${currency.code}`
  return (
    <span className="anywhere">
      {owner.startsWith('Customer:') ? <CustomerName id={owner} /> : 'The platform'}
      {`, ${words}`}
    </span>
  )
}
