import type { SmtpConfig } from '../../base/settings/message-delivery.ts'
import type { Delivery } from '../../kernel/ports/delivery.ts'
import { DeliveryError, type Handover, type OutgoingEmail } from '../../kernel/ports/delivery.ts'

/** One plain address, which cannot be parsed as two addresses or as a header. */
const ADDRESS = /^[^\s@<>"(),:;\\[\]\p{Cc}]{1,64}@[^\s@<>"(),:;\\[\]\p{Cc}]{1,253}$/u

/**
 * Sends e-mail through a mail server, each on a new connection: codes are rare, and an idle connection may be
 * broken.
 */
export function emailSender(config: SmtpConfig, timeoutMs: number): NonNullable<Delivery['email']> {
  const { host, port, tls, login } = config
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'required',
      ignoreTLS: tls === 'never',
      ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
      logger: false,
      // A message's content cannot make this server read a file or fetch an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let transport: ReturnType<typeof open> | undefined
  return async (email) => {
    if (!ADDRESS.test(email.to)) return { accepted: false, reason: 'Not a valid e-mail address' }
    // A failed import is retried by the next e-mail.
    transport ??= open().catch((error: unknown) => {
      transport = undefined
      throw error
    })
    const opened = await transport
    // The timeout covers everything from the DNS lookup on; nodemailer's own are longer, and each is for one step.
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      await opened.sendMail({ ...mailOf(email, config), signal })
      return { accepted: true }
    } catch (error) {
      if (signal.aborted) throw new DeliveryError(`SMTP: took more than ${timeoutMs} ms`)
      return outcomeOf(error as SmtpFailure)
    }
  }
}

/** Addresses are passed as objects, which are not parsed; the envelope repeats the recipient. */
function mailOf(email: OutgoingEmail, config: SmtpConfig) {
  const { id, to, subject, text, html, date, replyTo } = email
  const address = email.from.address ?? config.from.address
  const name = email.from.name ?? config.from.name ?? ''
  return {
    from: { name, address },
    to: { name: '', address: to },
    ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
    envelope: { from: address, to: [to] },
    messageId: `<${id.replace(/^Message:/, '')}@${address.slice(address.lastIndexOf('@') + 1)}>`,
    date,
    subject,
    text,
    html,
    // Suppresses automatic replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}

interface SmtpFailure {
  readonly name?: string
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
}

/** A recipient that the server rejects permanently is final. Any other failure is retried. */
function outcomeOf(error: SmtpFailure): Handover {
  const { name, code, command, response, responseCode } = error
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1]
  const words = [code ?? name, command, responseCode, enhanced].filter((word) => word !== undefined)
  const reason = `SMTP: ${words.join(' ')}`
  if (command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500)
    return { accepted: false, reason }
  throw new DeliveryError(reason)
}
