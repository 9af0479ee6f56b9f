import { formatCount } from './format.js';

const barWidth = 20;

/** How far a count has come, in one line; bar and time left only when the share, 0..1, is known. */
export function progressLine(count: number, share: number | undefined, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? Math.round(count / (elapsedMs / 1000)) : 0;
  const counts = `${formatCount(count)} messages  ${formatCount(rate)}/s`;
  if (share === undefined) return counts;
  const filled = Math.floor(share * barWidth);
  const bar = `[${'='.repeat(filled)}${filled < barWidth ? '>' : ''}`.padEnd(barWidth + 1);
  const left = share > 0 ? `  ${timeLeft((elapsedMs * (1 - share)) / share)} left` : '';
  return `${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${counts}${left}`;
}

function timeLeft(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
