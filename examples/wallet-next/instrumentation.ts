/** Allows pages of this app to call the API. Next.js runs it once when the server starts. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { countersign } = await import('./app/countersign')
  await countersign.config.update({ allowedOrigins: [process.env.APP_ORIGIN ?? 'http://localhost:3000'] })
}
