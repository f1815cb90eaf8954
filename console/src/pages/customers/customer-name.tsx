import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { shortId } from '../../ui/record-id.tsx'
import { nameOf } from './customer.ts'

const KEPT_MS = 5 * 60_000

/** The name of a customer, where a record has only the id. The end of the id until it is read. */
export function CustomerName({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['customers', id],
    queryFn: () => countersign.customers.get(id),
    staleTime: KEPT_MS,
  })
  return (
    <span className="clipped" title={data ? nameOf(data) : id}>
      {data ? nameOf(data) : shortId(id)}
    </span>
  )
}
