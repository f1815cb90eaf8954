import { useQuery } from '@tanstack/react-query'
import { countersign } from '../data/client.ts'
import { nameOf } from '../pages/customers/customer.ts'
import { shortId } from './record-id.tsx'

/** The name of a customer by its id, which stands there until the name is read. */
export function CustomerName({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['customers', id],
    queryFn: () => countersign.customers.get(id),
    staleTime: 300_000,
  })
  return data ? (
    <span className="clipped" title={nameOf(data)}>
      {nameOf(data)}
    </span>
  ) : (
    <span className="id">{shortId(id)}</span>
  )
}
