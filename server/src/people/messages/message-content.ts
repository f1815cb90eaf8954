import type { PlatformConfig } from '../platforms/platform-config.ts'

type WalletConfig = PlatformConfig['embeddedWalletConfig']

/** The content of an e-mail, without its recipient. */
export interface EmailContent {
  /** The platform's own sender. Missing parts are filled in with the server's sender. */
  readonly from: { readonly name?: string; readonly address?: string }
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Limits the length, because text messages are billed per 70 to 160 characters. */
const SMS_NAME_CHARACTERS_MAX = 40

/** The purpose of the code in an e-mail. */
interface Purpose {
  readonly subject: string
  readonly intro: string
  readonly ignore: string
  readonly seconds: number
}

/** Builds the e-mail with a sign-in code. */
export function buildOtpEmail(config: WalletConfig, code: string): EmailContent {
  const app = toOneLine(config.appName)
  return buildCodeEmail(config, code, {
    subject: `Your ${app} sign-in code`,
    intro: `Your ${app} sign-in code is`,
    ignore: 'If you did not request this code, ignore this message: nobody can sign in without it.',
    seconds: config.expirationSeconds,
  })
}

/** Builds the e-mail with a code that verifies its recipient's address. */
export function buildContactEmail(config: WalletConfig, code: string, seconds: number): EmailContent {
  const app = toOneLine(config.appName)
  return buildCodeEmail(config, code, {
    subject: `Confirm your e-mail address for ${app}`,
    intro: `Your code to confirm this e-mail address for ${app} is`,
    ignore: 'If you did not request this code, ignore this message: the address stays unconfirmed.',
    seconds,
  })
}

/** Builds the e-mail with a code that signs a team member in to the console. */
export function buildMemberEmail(
  config: WalletConfig,
  platform: string,
  code: string,
  seconds: number,
): EmailContent {
  const name = toOneLine(platform)
  return buildCodeEmail(config, code, {
    subject: `Your sign-in code for the console of ${name}`,
    intro: `Your code to sign in to the console of ${name} is`,
    ignore: 'If you did not request this code, ignore this message: nobody can sign in without it.',
    seconds,
  })
}

/** The content of an e-mail without a code. */
export interface Notice {
  readonly subject: string
  /** Plain text, one string per paragraph. */
  readonly paragraphs: readonly string[]
}

/** Builds the e-mail that notifies a team member about an event. */
export function buildNoticeEmail(
  config: WalletConfig,
  platform: string,
  { subject, paragraphs }: Notice,
): EmailContent {
  const name = toOneLine(platform)
  const lines = [...paragraphs, `You receive this message as a member of ${name}.`].map(toOneLine)
  return {
    ...buildSender(config),
    subject: `${toOneLine(subject)} (${name})`,
    text: `${lines.join('\n\n')}\n`,
    html: renderHtml(
      config,
      toOneLine(subject),
      lines.map((line) => [line, 'font-size:16px']),
    ),
  }
}

/**
 * Builds an e-mail with a code in the platform's name. The subject does not contain the code, because locked
 * screens show subjects.
 */
function buildCodeEmail(config: WalletConfig, code: string, purpose: Purpose): EmailContent {
  const { subject, intro, ignore, seconds } = purpose
  const expiry = `It works once and expires in ${formatLifetime(seconds)}. Do not share it with anyone.`
  return {
    ...buildSender(config),
    subject,
    text: `${intro}\n\n    ${code}\n\n${expiry}\n\n${ignore}\n`,
    html: renderHtml(config, intro, [
      [intro, 'font-size:16px'],
      [code, 'font-size:32px;font-weight:700;letter-spacing:4px'],
      [expiry, 'font-size:14px'],
      [ignore, 'font-size:14px;color:#6b6b6b'],
    ]),
  }
}

function buildSender(config: WalletConfig): Pick<EmailContent, 'from' | 'replyTo'> {
  const { sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress } = config
  const name = sendFromEmailSenderName ?? (sendFromEmailAddress ? toOneLine(config.appName) : undefined)
  return {
    from: {
      ...(name === undefined ? {} : { name: toOneLine(name) }),
      ...(sendFromEmailAddress ? { address: sendFromEmailAddress } : {}),
    },
    ...(replyToEmailAddress ? { replyTo: replyToEmailAddress } : {}),
  }
}

/** Builds the text message with a sign-in code. */
export function buildOtpSms(config: WalletConfig, code: string): string {
  return buildCodeSms(`Your ${formatSmsName(config)} code is ${code}.`, config.expirationSeconds)
}

/** Builds the text message with a code that verifies its recipient's number. */
export function buildContactSms(config: WalletConfig, code: string, seconds: number): string {
  return buildCodeSms(`Your code to confirm this number for ${formatSmsName(config)} is ${code}.`, seconds)
}

function buildCodeSms(intro: string, seconds: number): string {
  return `${intro} It works once and expires in ${formatLifetime(seconds)}. If you did not request it, ignore this.`
}

function formatSmsName({ appName }: WalletConfig): string {
  return [...toOneLine(appName)].slice(0, SMS_NAME_CHARACTERS_MAX).join('').trim()
}

/**
 * Formats a validity in minutes, rounded down so that the code is valid for at least that long.
 */
function formatLifetime(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / 60))
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/**
 * Converts text to one line without control characters and without characters that change the text direction.
 */
function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}

const FONT = 'font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif'
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** Renders paragraphs with inline styles, because those work in every mail program. */
function renderHtml(
  { appName, logoUrl }: WalletConfig,
  title: string,
  paragraphs: readonly (readonly [text: string, style: string])[],
): string {
  // Mail programs block or warn about images over plain http.
  const logo =
    logoUrl && /^https:\/\//i.test(logoUrl)
      ? `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(toOneLine(appName))}" height="40" style="border:0">\n`
      : ''
  const lines = paragraphs.map(
    ([text, style]) => `<p style="${escapeHtml(`${FONT};${style}`)}">${escapeHtml(text)}</p>`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1a1a1a">
${logo}${lines.join('\n')}
</body>
</html>
`
}
