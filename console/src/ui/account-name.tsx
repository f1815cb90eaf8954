import { useQuery } from '@tanstack/react-query'
import { countersign } from '../data/client.ts'
import { accountWords } from './account-words.ts'
import { CustomerName } from './customer-name.tsx'
import { shortId } from './record-id.tsx'
import { wordsOf } from './status-meaning.ts'
import { TextLink } from './text-link.tsx'

const KEPT_MS = 5 * 60_000

/** A link to an account by its name: holder, bank and end of the number, or the owner of one of this platform. */
export function AccountLink({ id }: { readonly id: string }) {
  return (
    <TextLink to={`/accounts/${id}`}>
      {id.startsWith('ExternalAccount:') ? <ExternalName id={id} /> : <InternalName id={id} />}
    </TextLink>
  )
}

function ExternalName({ id }: { readonly id: string }) {
  // A deleted account no longer has a name, and its page says so.
  const { data } = useQuery({
    queryKey: ['accounts', id],
    queryFn: () => countersign.externalAccounts.get(id),
    staleTime: KEPT_MS,
  })
  return <span className={data ? 'anywhere' : 'id'}>{data ? accountWords(data) : shortId(id)}</span>
}

function InternalName({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['accounts', id],
    queryFn: () => countersign.ledgerAccounts.get(id, {}),
    staleTime: KEPT_MS,
  })
  if (!data) return <span className="id">{shortId(id)}</span>
  const { owner, name, currency } = data
  const words =
    name === undefined ? `${currency.code} account` : `${wordsOf(name.toUpperCase())} in ${currency.code}`
  return (
    <span className="anywhere">
      {owner.startsWith('Customer:') ? <CustomerName id={owner} /> : 'The platform'}
      {`, ${words}`}
    </span>
  )
}
