import { Countersign, CountersignError } from '@countersign/sdk'
import { DeviceKey } from '@countersign/sdk/wallet'
import { pay } from '../../../payment.mjs'

export async function POST() {
  const { BASE, TOKEN_ID, CLIENT_SECRET } = process.env
  const credentials = { baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET }
  return Response.json(await pay({ Countersign, CountersignError, DeviceKey }, credentials))
}
