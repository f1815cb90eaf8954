import { Countersign, CountersignError } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { SoftwareAuthenticator } from '@countersign/sdk/testing'
import { DeviceKey } from '@countersign/sdk/wallet'
import { verifyWebhook } from '@countersign/sdk/webhooks'
import { pay } from './payment.mjs'

// In a browser bundle, the test provides the values that a program would read from its environment.
const { BASE, TOKEN_ID, CLIENT_SECRET } = globalThis.SETTINGS ?? process.env
const credentials = { baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET }
const paid = await pay({ Countersign, CountersignError, DeviceKey }, credentials)
const others = [Agent, SoftwareAuthenticator, verifyWebhook].map((value) => typeof value)
console.log(JSON.stringify({ ...paid, others }))
