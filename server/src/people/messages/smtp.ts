import type { SmtpConfig } from '../../base/settings/message-delivery.ts'
import type { Delivery } from '../../kernel/ports/delivery.ts'
import { DeliveryError, type DeliveryOutcome, type OutgoingEmail } from '../../kernel/ports/delivery.ts'

/** Matches a single plain address, which cannot be read as two addresses or as a header. */
const ADDRESS = /^[^\s@<>"(),:;\\[\]\p{Cc}]{1,64}@[^\s@<>"(),:;\\[\]\p{Cc}]{1,253}$/u

/**
 * Sends e-mail through a mail server. Each message has its own connection, because codes are rare and an idle
 * connection may have been dropped.
 */
export function createEmailSender(config: SmtpConfig, timeoutMs: number): NonNullable<Delivery['email']> {
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
      // The content of a message must not make this server read a file or fetch a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let transport: ReturnType<typeof open> | undefined
  return async (email) => {
    if (!ADDRESS.test(email.to)) return { accepted: false, reason: 'The e-mail address is not valid' }
    // If the import fails, the next e-mail tries it again.
    transport ??= open().catch((error: unknown) => {
      transport = undefined
      throw error
    })
    const opened = await transport
    // One timeout covers the whole delivery, including the DNS lookup. The timeouts of nodemailer are longer
    // and cover single steps.
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      await opened.sendMail({ ...toMail(email, config), signal })
      return { accepted: true }
    } catch (error) {
      if (signal.aborted) throw new DeliveryError(`SMTP: took more than ${timeoutMs} ms`)
      return toHandover(error as SmtpFailure)
    }
  }
}

/** Addresses are passed as objects, so that they are not parsed. The envelope repeats the recipient. */
function toMail(email: OutgoingEmail, config: SmtpConfig) {
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

/** A failure is final if the server permanently rejects the recipient. All other failures are retried. */
function toHandover(error: SmtpFailure): DeliveryOutcome {
  const { name, code, command, response, responseCode } = error
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1]
  const parts = [code ?? name, command, responseCode, enhanced].filter((part) => part !== undefined)
  const reason = `SMTP: ${parts.join(' ')}`
  if (command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500)
    return { accepted: false, reason }
  throw new DeliveryError(reason)
}
