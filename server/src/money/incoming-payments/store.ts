import type { Op } from '../../kernel/operation/app.ts'

/** The platform's own id of a customer, deleted or not. */
export async function selectPlatformCustomerId(op: Op, id: string): Promise<string> {
  const { platform_customer_id } = await op.read
    .selectFrom('customers')
    .select('platform_customer_id')
    .where('platform_id', '=', op.platform.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return platform_customer_id
}
