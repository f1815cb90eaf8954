import { createHash } from 'node:crypto'
import { findCardOfProcessor } from '../../money/cards/cards.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { CardRow } from '../../storage/rows/card.ts'

const STYLE = `
body{margin:0;font:16px/1.4 system-ui,sans-serif;color:#fff;background:transparent}
main{box-sizing:border-box;max-width:26rem;margin:0 auto;padding:1.5rem;border-radius:1rem;background:#27364b}
p{margin:0 0 .75rem}dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0}dd{margin:0;font-variant-numeric:tabular-nums}
.warning{font-weight:700;color:#ffd479}`

/** The hash that allows this page's style tag. The security policy allows nothing else. */
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const CARD_PAGE_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'`

export interface CardPage {
  readonly isFound: boolean
  readonly html: string
}

/**
 * The sandbox processor's page that shows a card, for use in an iframe. The card number is generated and
 * cannot belong to a real card.
 */
export async function renderCardPage(lookup: Lookup, reference: string): Promise<CardPage> {
  const card = await findCardOfProcessor(lookup, reference)
  return { isFound: card !== undefined, html: renderPage(card ? renderCard(card) : '<p>Card not found.</p>') }
}

function renderCard({ last4, exp_month, exp_year }: CardRow): string {
  const expiry = `${String(exp_month).padStart(2, '0')}/${exp_year}`
  return `<p class="warning">Sandbox: not a real card</p>
<dl><dt>Number</dt><dd>0000 0000 0000 ${last4}</dd><dt>Expiry</dt><dd>${expiry}</dd><dt>Code</dt><dd>000</dd></dl>`
}

function renderPage(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox card</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body><main>${body}</main></body>
</html>
`
}
