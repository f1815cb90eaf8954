import type { Op } from '../../kernel/operation/app.ts'

/** The platform-assigned id of a customer, even if the customer was deleted. */
export async function selectPlatformCustomerId(op: Op, id: string): Promise<string> {
  const { platform_customer_id } = await op.read
    .selectFrom('customers')
    .select('platform_customer_id')
    .where('platform_id', '=', op.platform.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return platform_customer_id
}
