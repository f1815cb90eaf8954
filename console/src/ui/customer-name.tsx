import { useQuery } from '@tanstack/react-query'
import { countersign } from '../data/client.ts'
import { formatCustomerName } from '../pages/customers/customer.ts'
import { shortenId } from './record-id.tsx'

const CACHE_MS = 5 * 60_000

/** A customer's name. Shows the end of the id until the name is loaded. */
export function CustomerName({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['customers', id],
    queryFn: () => countersign.customers.get(id),
    staleTime: CACHE_MS,
  })
  return (
    <span className={data ? 'clipped' : 'id clipped'} title={data ? formatCustomerName(data) : id}>
      {data ? formatCustomerName(data) : shortenId(id)}
    </span>
  )
}
