/**
 * Certificates for TLS faults, made anew at test time: no private key lies in the repository, none
 * expires, and no tool is needed. X.509 v3 by RFC 5280, in as much DER as one self-signed
 * certificate takes.
 */
import { generateKeyPairSync, sign } from 'node:crypto';

/** PEM texts, as TLS servers take them. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

interface CertificateWishes {
  /** DNS name that it is for; besides, or instead, `address`. */
  readonly name?: string | undefined;
  /** IPv4 address that it is for. */
  readonly address?: string | undefined;
  readonly notBefore?: Date | undefined;
  readonly notAfter?: Date | undefined;
}

const day = 86_400_000;

/** Makes a key and a certificate that vouches for itself. */
export function selfSigned(wishes: CertificateWishes): Certificate {
  const { name, address } = wishes;
  const notBefore = wishes.notBefore ?? new Date(Date.now() - day);
  const notAfter = wishes.notAfter ?? new Date(Date.now() + day);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(0x30, oid('2a8648ce3d040302'));
  const subject = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('fault peer')))));
  const names = [
    ...(name === undefined ? [] : [der(0x82, Buffer.from(name))]),
    ...(address === undefined ? [] : [der(0x87, Buffer.from(address.split('.').map(Number)))]),
  ];
  const subjectAltName = der(0x30, oid('551d11'), der(0x04, der(0x30, ...names)));
  const signed = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    subject,
    der(0x30, utcTime(notBefore), utcTime(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, subjectAltName)),
  );
  const signature = sign('sha256', signed, privateKey);
  const whole = der(0x30, signed, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** Tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '');
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}
