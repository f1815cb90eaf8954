import type { App } from '../../kernel/operation/app.ts'
import type { KycLinkRow } from '../../storage/rows/kyc-link.ts'

/** Finds a link on any platform. */
export async function selectKycLink(app: Pick<App, 'read'>, id: string): Promise<KycLinkRow | undefined> {
  return app.read.selectFrom('kyc_links').selectAll().where('id', '=', id).executeTakeFirst()
}
