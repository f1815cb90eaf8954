const { Countersign, CountersignError } = require('@countersign/sdk')
const { Agent } = require('@countersign/sdk/agent')
const { SoftwareAuthenticator } = require('@countersign/sdk/testing')
const { DeviceKey } = require('@countersign/sdk/wallet')
const { verifyWebhook } = require('@countersign/sdk/webhooks')
const { pay } = require('./payment.mjs')

const { BASE, TOKEN_ID, CLIENT_SECRET } = process.env
const credentials = { baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET }
pay({ Countersign, CountersignError, DeviceKey }, credentials).then((paid) => {
  const others = [Agent, SoftwareAuthenticator, verifyWebhook].map((value) => typeof value)
  console.log(JSON.stringify({ ...paid, others }))
})
