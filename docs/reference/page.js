/* global Scalar */
// The reference page: shows the OpenAPI document, and fills its examples with records of the reader's sandbox.

const place = document.getElementById('reference')
const form = document.getElementById('fill')
const base = place.dataset.base
const styles = document.getElementById('reference-style').textContent

/** What Scalar is told. `content` is a document in place of the one that the server has. */
function configuration(content, authentication) {
  return {
    ...(content ? { content } : { url: `${base}/openapi.json` }),
    authentication: authentication ?? { preferredSecurityScheme: 'BasicAuth' },
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    // The name that a call has in the sdk and in docs/api.md.
    showOperationId: true,
    // Searching finds operations; schemas are shown where they are used.
    hideModels: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'json',
    theme: 'default',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    customCss: styles,
  }
}

let reference = Scalar.createApiReference('#reference', configuration())
nameCredentials()
form?.addEventListener('submit', (event) => {
  event.preventDefault()
  fillIn(new FormData(form))
})

/** Calls the user name and the password what credentials.json calls them. */
function nameCredentials() {
  const names = { Username: 'tokenId', Password: 'clientSecret' }
  const rename = () => {
    for (const label of place.ownerDocument.querySelectorAll('label')) {
      const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT)
      for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        const name = names[text.data.trim()]
        if (name) text.data = text.data.replace(text.data.trim(), name)
      }
    }
    for (const empty of document.querySelectorAll('.cm-placeholder'))
      if (empty.textContent === 'janedoe') empty.textContent = 'Token:…'
  }
  new MutationObserver(rename).observe(document.body, { childList: true, subtree: true, characterData: true })
}

/** Makes records in the sandbox, and shows the document with them in place of those of the examples. */
async function fillIn(fields) {
  const say = (text) => {
    form.querySelector('output').textContent = text
  }
  const button = form.querySelector('button')
  button.disabled = true
  say('Making records …')
  try {
    const tokenId = String(fields.get('tokenId')).trim()
    const clientSecret = String(fields.get('clientSecret')).trim()
    const call = caller(tokenId, clientSecret)
    const api = await call('GET', '/openapi.json')
    const ids = await makeRecords(call, api)
    reference.destroy?.()
    reference = Scalar.createApiReference(
      '#reference',
      configuration(withRecords(api, ids), {
        preferredSecurityScheme: 'BasicAuth',
        securitySchemes: { BasicAuth: { username: tokenId, password: clientSecret } },
      }),
    )
    say(`The examples are about ${ids.Customer} now. Send them as they are.`)
  } catch (error) {
    say(error.message)
  }
  button.disabled = false
}

/** Calls the server; throws what it refuses in its own words. */
function caller(tokenId, clientSecret) {
  const bytes = new TextEncoder().encode(`${tokenId}:${clientSecret}`)
  const Authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { Authorization, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(answer.message)
    return answer
  }
}

/** A customer with money, a bank account, a card and a quote. */
async function makeRecords(call, api) {
  const bodyOf = (path) => api.paths[path].post.requestBody.content['application/json'].example
  const { email: _, ...person } = bodyOf('/customers')
  const { id: Customer } = await call('POST', '/customers', person)
  const { data } = await call('GET', `/customers/internal-accounts?customerId=${Customer}`)
  const Wallet = data.find(({ type }) => type === 'EMBEDDED_WALLET')?.id
  const InternalAccount = data.find(
    ({ type, balance }) => type === 'INTERNAL_FIAT' && balance.currency.code === 'USD',
  ).id
  await call('POST', `/sandbox/internal-accounts/${InternalAccount}/fund`, { amount: 1_000_000 })
  const ids = { Customer, InternalAccount, Wallet }
  const make = (path) => call('POST', path, replaced(bodyOf(path), api, ids))
  ids.ExternalAccount = (await make('/customers/external-accounts')).id
  const quote = await make('/quotes')
  ids.Quote = quote.id
  ids.Transaction = quote.transactionId
  ids.Card = (await make('/cards')).id
  const credentials = Wallet ? await call('GET', `/auth/credentials?accountId=${Wallet}`) : { data: [] }
  ids.AuthMethod = credentials.data[0]?.id
  return ids
}

/** What a request says, with other records of the same kinds. The answers stay as they were recorded. */
function replaced(value, api, ids) {
  const { Business, Wallet } = api['x-example-records']
  const text = JSON.stringify(value).replace(/"([A-Z]\w+):[0-9a-f-]{36}"/g, (quoted, kind) => {
    const id = quoted.slice(1, -1)
    if (id === Business) return quoted
    const mine = id === Wallet ? ids.Wallet : ids[kind]
    return mine ? `"${mine}"` : quoted
  })
  return JSON.parse(text)
}

function withRecords(api, ids) {
  for (const item of Object.values(api.paths))
    for (const operation of Object.values(item)) {
      operation.parameters = replaced(operation.parameters, api, ids)
      for (const content of Object.values(operation.requestBody?.content ?? {}))
        if (content.example) content.example = replaced(content.example, api, ids)
    }
  return api
}
