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

/** A text message is a single line, and is billed per 70 to 160 characters. */
const SMS_NAME_CHARACTERS_MAX = 40

/** The purpose of the code in an e-mail. */
interface Purpose {
  readonly subject: string
  readonly intro: string
  readonly ignore: string
  readonly seconds: number
}

/** The e-mail with a sign-in code. */
export function otpEmail(config: WalletConfig, code: string): EmailContent {
  const app = oneLine(config.appName)
  return codeEmail(config, code, {
    subject: `Your ${app} sign-in code`,
    intro: `Your ${app} sign-in code is`,
    ignore: 'If you did not request this code, ignore this message: nobody can sign in without it.',
    seconds: config.expirationSeconds,
  })
}

/** The e-mail with a code that verifies its recipient's address. */
export function contactEmail(config: WalletConfig, code: string, seconds: number): EmailContent {
  const app = oneLine(config.appName)
  return codeEmail(config, code, {
    subject: `Confirm your e-mail address for ${app}`,
    intro: `Your code to confirm this e-mail address for ${app} is`,
    ignore: 'If you did not request this code, ignore this message: the address stays unconfirmed.',
    seconds,
  })
}

/** The e-mail with a code that signs a team member in to the console. */
export function memberEmail(
  config: WalletConfig,
  platform: string,
  code: string,
  seconds: number,
): EmailContent {
  const name = oneLine(platform)
  return codeEmail(config, code, {
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

/** The e-mail that notifies a team member about an event. */
export function noticeEmail(
  config: WalletConfig,
  platform: string,
  { subject, paragraphs }: Notice,
): EmailContent {
  const name = oneLine(platform)
  const lines = [...paragraphs, `You receive this message as a member of ${name}.`].map(oneLine)
  return {
    ...buildSender(config),
    subject: `${oneLine(subject)} (${name})`,
    text: `${lines.join('\n\n')}\n`,
    html: renderHtml(
      config,
      oneLine(subject),
      lines.map((line) => [line, 'font-size:16px']),
    ),
  }
}

/**
 * An e-mail with a code, in the platform's name. The code is not in the subject, because locked screens show
 * subjects.
 */
function codeEmail(config: WalletConfig, code: string, purpose: Purpose): EmailContent {
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
  const name = sendFromEmailSenderName ?? (sendFromEmailAddress ? oneLine(config.appName) : undefined)
  return {
    from: {
      ...(name === undefined ? {} : { name: oneLine(name) }),
      ...(sendFromEmailAddress ? { address: sendFromEmailAddress } : {}),
    },
    ...(replyToEmailAddress ? { replyTo: replyToEmailAddress } : {}),
  }
}

/** The text message with a sign-in code. */
export function otpSms(config: WalletConfig, code: string): string {
  return codeSms(`Your ${smsName(config)} code is ${code}.`, config.expirationSeconds)
}

/** The text message with a code that verifies its recipient's number. */
export function contactSms(config: WalletConfig, code: string, seconds: number): string {
  return codeSms(`Your code to confirm this number for ${smsName(config)} is ${code}.`, seconds)
}

function codeSms(intro: string, seconds: number): string {
  return `${intro} It works once and expires in ${formatLifetime(seconds)}. If you did not request it, ignore this.`
}

function smsName({ appName }: WalletConfig): string {
  return [...oneLine(appName)].slice(0, SMS_NAME_CHARACTERS_MAX).join('').trim()
}

/**
 * Formats a validity in minutes. Rounded down, so that the code is valid for at least as long as the message
 * says.
 */
function formatLifetime(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / 60))
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/**
 * Converts text to one line without control characters and without characters that change the text direction.
 */
function oneLine(text: string): string {
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
      ? `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(oneLine(appName))}" height="40" style="border:0">\n`
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
