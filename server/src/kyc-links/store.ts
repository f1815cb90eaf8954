import type { KycLinkRow } from '../db/schema/kyc-link-tables.ts'
import type { App } from '../op/app.ts'

/** A link of any platform. */
export async function selectKycLink(app: Pick<App, 'read'>, id: string): Promise<KycLinkRow | undefined> {
  return app.read.selectFrom('kyc_links').selectAll().where('id', '=', id).executeTakeFirst()
}
